// The ledger has found all disagreements; this chooses one.
#include "harness/detect/findings/divergence.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

namespace gridlock::detect {
namespace {

// Communicators by their ids.
std::unordered_map<std::uint64_t, Index> communicators_of(const WaitGraph& graph) {
  std::unordered_map<std::uint64_t, Index> found;
  for (Index index = 0; index < graph.communicators.size(); ++index) {
    found.emplace(graph.communicators[index].id, index);
  }
  return found;
}

bool is_older(const Disagreement& found, const Disagreement* other) {
  return other == nullptr ||
         std::tie(found.time_ns, found.slot) < std::tie(other->time_ns, other->slot);
}

// Whether all members have called there and none is stuck there. Calls that an abort ended have not
// met.
bool is_past(const WaitGraph& graph, const WaitGraph::Communicator& communicator,
             const Disagreement& found) {
  std::size_t called = 0;
  for (const auto& side : found.sides) called += side.ranks.size();
  if (called < communicator.size) return false;
  for (Index member = 0; member < communicator.size; ++member) {
    const Index entry = graph.members[communicator.first_member + member];
    if (entry != kNoIndex && graph.entries[entry].aborted) return false;
  }
  if (found.slot < communicator.base || found.slot - communicator.base >= communicator.slots) {
    return true;
  }
  const Index slot = communicator.first_slot + static_cast<Index>(found.slot - communicator.base);
  // A group shows all its operations until the last of them ends.
  return std::ranges::all_of(graph.calls_at(slot), [&](const WaitGraph::SlotCall& call) {
    return graph.can(call.completes);
  });
}

// The first slot at which each communicator is stuck.
std::unordered_map<std::uint64_t, std::uint64_t> stuck_slots(const WaitGraph& graph,
                                                             const Points& points) {
  std::unordered_map<std::uint64_t, std::uint64_t> slots;
  for (const Point& point : points.points) {
    if (point.communicator == kNoIndex) continue;
    const std::uint64_t slot = point.at_slot() ? graph.number_of(point.at) : ~std::uint64_t{0};
    const auto [known, is_new] =
        slots.try_emplace(graph.communicators[point.communicator].id, slot);
    if (!is_new) known->second = std::min(known->second, slot);
  }
  return slots;
}

// Whether labels agreed at all earlier slots of the communicator.
bool agreed_before(const Ledger& ledger, const Disagreement& found) {
  const auto& labels = ledger.label_disagreements();
  return found.slot > 0 && std::none_of(labels.begin(), labels.end(), [&](const auto& other) {
           return other.communicator_id == found.communicator_id && other.slot < found.slot;
         });
}

}  // namespace

const Disagreement* divergence_before(const WaitGraph& graph, const Points& points,
                                      const Ledger& ledger) {
  const auto stuck = stuck_slots(graph, points);
  const auto communicators = communicators_of(graph);
  const auto went_through = [&](const Disagreement& found) {
    const auto at = communicators.find(found.communicator_id);
    return found.from < 0 && at != communicators.end() &&
           is_past(graph, graph.communicators[at->second], found);
  };
  const Disagreement* first = nullptr;
  for (const Disagreement& found : ledger.mismatches()) {
    if (went_through(found) && is_older(found, first)) first = &found;
  }
  if (first != nullptr) return first;
  for (const Disagreement& found : ledger.label_disagreements()) {
    const auto at = stuck.find(found.communicator_id);
    if (at != stuck.end() && found.slot < at->second && went_through(found) &&
        agreed_before(ledger, found)) {
      return &found;
    }
  }
  return nullptr;
}

const Disagreement* first_divergence(const Ledger& ledger, bool numbers_wrong) {
  const Disagreement* first = nullptr;
  for (const Disagreement& found : ledger.mismatches()) {
    if (is_older(found, first)) first = &found;
  }
  if (first != nullptr || !numbers_wrong) return first;
  for (const Disagreement& found : ledger.label_disagreements()) {
    if (is_older(found, first)) first = &found;
  }
  return first;
}

std::vector<int> odd_ranks(const Disagreement& found, bool strictly) {
  // If calls differ, their labels do not matter.
  std::vector<Disagreement::Side> sides;
  std::size_t total = 0;
  for (const auto& side : found.sides) {
    total += side.ranks.size();
    const auto same = std::find_if(sides.begin(), sides.end(), [&](const auto& other) {
      return found.difference != Difference::label && other.shape == side.shape;
    });
    if (same == sides.end()) {
      sides.push_back(side);
    } else {
      same->ranks.insert(same->ranks.end(), side.ranks.begin(), side.ranks.end());
    }
  }
  std::size_t most = 0;
  for (const auto& side : sides) most = std::max(most, side.ranks.size());
  const auto winners = std::count_if(sides.begin(), sides.end(),
                                     [&](const auto& side) { return side.ranks.size() == most; });
  const bool is_majority = winners == 1 && (!strictly || most * 2 > total);
  std::vector<int> odd;
  for (const auto& side : sides) {
    if (is_majority && side.ranks.size() == most) continue;
    odd.insert(odd.end(), side.ranks.begin(), side.ranks.end());
  }
  std::sort(odd.begin(), odd.end());
  return odd;
}

std::vector<Verdict::Fault> faults_at(const Disagreement& found, const std::vector<int>& culprits) {
  const auto largest_but = [&](const Disagreement::Side* own) {
    const Disagreement::Side* largest = nullptr;
    for (const auto& side : found.sides) {
      if (&side == own || difference(side.shape, own->shape) == Difference::none) continue;
      if (largest == nullptr || side.ranks.size() > largest->ranks.size()) largest = &side;
    }
    return largest;
  };
  std::vector<Verdict::Fault> faults;
  for (const auto& side : found.sides) {
    std::vector<int> ranks;
    std::set_intersection(side.ranks.begin(), side.ranks.end(), culprits.begin(), culprits.end(),
                          std::back_inserter(ranks));
    const Disagreement::Side* others = largest_but(&side);
    if (ranks.empty() || others == nullptr) continue;
    faults.push_back({.ranks = std::move(ranks),
                      .what = phrase::CalledOther{.own = side.shape, .others = others->shape}});
  }
  std::sort(faults.begin(), faults.end(),
            [](const auto& a, const auto& b) { return a.ranks.front() < b.ranks.front(); });
  return faults;
}

phrase::Crossed crossed(const Disagreement& found, const CommunicatorNames& names) {
  phrase::Crossed told{.communicator = names.name(found.communicator_id),
                       .slot = found.slot,
                       .is_message = found.from >= 0,
                       .labels_only = found.difference == Difference::label,
                       .sides = {}};
  for (const auto& side : found.sides) {
    told.sides.push_back(
        {.ranks = side.ranks, .shape = side.shape, .label = std::string(side.label.view())});
  }
  std::sort(told.sides.begin(), told.sides.end(),
            [](const auto& a, const auto& b) { return a.ranks.front() < b.ranks.front(); });
  return told;
}

}  // namespace gridlock::detect
