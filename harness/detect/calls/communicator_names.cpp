// A rank's box lists communicators in the order in which that rank joined them.
#include "harness/detect/calls/communicator_names.h"

#include <algorithm>

namespace gridlock::detect {

void CommunicatorNames::add(const record::Snapshot& snapshot) {
  std::uint64_t sum = 0;
  for (const record::Communicator& one : snapshot.communicators) {
    sum += one.id + static_cast<std::uint64_t>(one.size);  // a split's size is known when it ends
  }
  Shown& shown = shown_[snapshot.rank];
  if (shown.sum == sum) return;
  shown.sum = sum;
  for (const record::Communicator& one : snapshot.communicators) {
    Known& known = known_[one.id];
    if (known.given.empty()) known.given = one.name;
    known.size = std::max(known.size, one.size);
    if (one.size != 0) known.least = known.least == 0 ? one.size : std::min(known.least, one.size);
    const auto at = std::lower_bound(known.ranks.begin(), known.ranks.end(), snapshot.rank);
    if (at != known.ranks.end() && *at == snapshot.rank) continue;
    if (at == known.ranks.begin()) known.made = shown.made;
    known.ranks.insert(at, snapshot.rank);
    ++shown.made;
  }
}

CommunicatorName CommunicatorNames::name(std::uint64_t id) const {
  const auto found = known_.find(id);
  if (found == known_.end()) return {};
  const Known& own = found->second;
  if (!own.given.empty()) return {.given = own.given};
  int older = 0;
  int others = 0;
  for (const auto& [other_id, other] : known_) {
    if (other_id == id || !other.given.empty() || other.ranks != own.ranks) continue;
    ++others;
    if (other.made < own.made) ++older;
  }
  return {.size = own.size,
          .least = own.least == own.size ? 0 : own.least,
          .ranks = own.ranks,
          .number = others == 0 ? 0 : older + 1};
}

}  // namespace gridlock::detect
