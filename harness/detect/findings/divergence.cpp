// The ledger knows it all; what is left is to choose.
#include "harness/detect/findings/divergence.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace gridlock::detect {
namespace {

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

// Whether all ranks called for the same purpose at the slot before.
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
  const Disagreement* first = nullptr;
  for (const Disagreement& found : ledger.mismatches()) {
    const auto at = stuck.find(found.communicator_id);
    const bool is_stuck = found.from < 0 && at != stuck.end() && at->second <= found.slot;
    // What is told is the place where it all began: who hangs there is blamed for it anyway.
    if (is_stuck || found.from >= 0) continue;
    const bool earlier = first != nullptr && first->communicator_id == found.communicator_id &&
                         found.slot < first->slot;
    if (first == nullptr || earlier) first = &found;
  }
  if (first != nullptr) return first;
  for (const Disagreement& found : ledger.label_disagreements()) {
    const auto at = stuck.find(found.communicator_id);
    if (at != stuck.end() && found.slot < at->second && agreed_before(ledger, found)) return &found;
  }
  return nullptr;
}

const Disagreement* first_divergence(const Ledger& ledger, bool numbers_wrong) {
  if (!ledger.mismatches().empty()) return &ledger.mismatches().front();
  if (numbers_wrong && !ledger.label_disagreements().empty()) {
    return &ledger.label_disagreements().front();
  }
  return nullptr;
}

std::vector<int> odd_ranks(const Disagreement& found) {
  std::size_t most = 0;
  for (const auto& side : found.sides) most = std::max(most, side.ranks.size());
  const auto winners = std::count_if(found.sides.begin(), found.sides.end(),
                                     [&](const auto& side) { return side.ranks.size() == most; });
  std::vector<int> odd;
  for (const auto& side : found.sides) {
    if (winners == 1 && side.ranks.size() == most) continue;
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
