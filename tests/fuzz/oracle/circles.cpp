// By what each rank reaches.
#include "tests/fuzz/oracle/circles.h"

#include <algorithm>
#include <iterator>

namespace gridlock::fuzz {

std::vector<std::set<std::size_t>> closure(const std::vector<Ranks>& waits_for) {
  std::vector<std::set<std::size_t>> reach(waits_for.size());
  for (std::size_t from = 0; from < waits_for.size(); ++from) {
    Ranks open = waits_for[from];
    while (!open.empty()) {
      const std::size_t to = open.back();
      open.pop_back();
      if (!reach[from].insert(to).second) continue;
      open.insert(open.end(), waits_for[to].begin(), waits_for[to].end());
    }
  }
  return reach;
}

std::set<std::size_t> in_circles(const std::vector<Ranks>& waits_for,
                                 const std::set<std::size_t>& among) {
  std::vector<Ranks> left(waits_for.size());
  for (const std::size_t rank : among) {
    std::ranges::copy_if(waits_for[rank], std::back_inserter(left[rank]),
                         [&](std::size_t to) { return among.contains(to); });
  }
  const std::vector<std::set<std::size_t>> reach = closure(left);
  std::set<std::size_t> found;
  for (const std::size_t rank : among) {
    if (reach[rank].contains(rank)) found.insert(rank);
  }
  return found;
}

std::set<std::size_t> knots(const std::vector<Ranks>& waits_for,
                            const std::set<std::size_t>& circle) {
  std::set<std::size_t> found;
  for (const std::size_t rank : circle) {
    std::set<std::size_t> others = circle;
    others.erase(rank);
    if (in_circles(waits_for, others).empty()) found.insert(rank);
  }
  return found.empty() ? circle : found;
}

}  // namespace gridlock::fuzz
