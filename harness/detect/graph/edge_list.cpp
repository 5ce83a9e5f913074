// A counting sort over the nodes that have edges.
#include "harness/detect/graph/edge_list.h"

namespace gridlock::detect {

void EdgeList::sort(std::uint32_t nodes) {
  words_.assign(nodes / 64 + 1, {});
  for (const auto& [from, to] : pairs_) words_[from / 64].bits |= std::uint64_t{1} << (from % 64);
  std::uint32_t count = 0;
  for (Word& word : words_) {
    word.before = count;
    count += static_cast<std::uint32_t>(std::popcount(word.bits));
  }
  // One more than there are nodes with edges: filling moves each start to its end, which is the
  // next start.
  first_.assign(count + 2, 0);
  for (const auto& [from, to] : pairs_) ++first_[rank(from) + 2];
  for (std::uint32_t at = 2; at < first_.size(); ++at) first_[at] += first_[at - 1];
  targets_.resize(pairs_.size());
  for (const auto& [from, to] : pairs_) targets_[first_[rank(from) + 1]++] = to;
}

}  // namespace gridlock::detect
