// The ledger knows in which order each rank has made its calls.
#include "harness/detect/blame/victims.h"

#include <algorithm>
#include <unordered_map>

namespace gridlock::detect {
namespace {

std::span<const Ledger::Caller> callers_at(const WaitGraph& graph, const Ledger& ledger,
                                           const Point& place) {
  return ledger.callers(graph.communicators[place.communicator].id, graph.number_of(place.at));
}

}  // namespace

bool Victims::has(const Point::Missing& one, Index missed) {
  if (ledger_ == nullptr || one.enqueued || !points_.points[missed].at_slot()) return false;
  bool waits_before = false;
  for (const Index index : at_) {
    const Point& place = points_.points[index];
    if (!std::ranges::binary_search(place.waiting, one.process)) continue;
    if (!place.at_slot() || order(index, missed) <= 0) return false;
    waits_before = true;
  }
  return waits_before;
}

int Victims::order(Index first, Index second) {
  const auto [known, is_new] = orders_.try_emplace({first, second}, 0);
  if (!is_new) return known->second;
  const auto at_first = callers_at(graph_, *ledger_, points_.points[first]);
  const auto at_second = callers_at(graph_, *ledger_, points_.points[second]);
  if (at_first.size() >= points_.points[first].members ||
      at_second.size() >= points_.points[second].members) {
    return 0;
  }
  std::unordered_map<std::int32_t, std::uint64_t> called_first;
  for (const Ledger::Caller& one : at_first) called_first.emplace(one.rank, one.called);
  for (const Ledger::Caller& one : at_second) {
    const auto other = called_first.find(one.rank);
    if (other == called_first.end() || other->second == one.called) continue;
    known->second += other->second < one.called ? 1 : -1;
  }
  return known->second;
}

}  // namespace gridlock::detect
