// Who is to blame, by the rules of the design: ranks whose calls do not match, whether they hang
// there or passed earlier; ranks that have left, unless most have left and a few differ; in a
// cycle, the few ranks that most ranks wait for where the fewest are missing (not counting those
// that wait in a call which the others make before the one that is missing; unless one of them
// waits with half of a collective's members, or for messages of one other rank), otherwise the
// ranks without which there is no cycle, or all of them but those that wait with a majority alone.
#include <algorithm>
#include <iterator>
#include <set>

#include "tests/fuzz/oracle/circles.h"
#include "tests/fuzz/oracle/places.h"

namespace gridlock::fuzz {

Blame Machine::blame(const State& end) const {
  std::vector<Place> all = places(end);
  Blame blame;
  std::set<int> culprits;
  const auto accuse = [&](Blame::Cause cause, const auto& ranks) {
    if (blame.cause == Blame::Cause::none || cause < blame.cause) culprits.clear();
    if (blame.cause != Blame::Cause::none && cause > blame.cause) return;
    blame.cause = cause;
    for (const std::size_t rank : ranks) culprits.insert(static_cast<int>(rank));
  };
  const auto accuse_odd = [&](const std::vector<Ranks>& sides) {
    const auto most = std::max_element(
        sides.begin(), sides.end(),
        [](const Ranks& one, const Ranks& other) { return one.size() < other.size(); });
    std::size_t callers = 0;
    for (const Ranks& side : sides) callers += side.size();
    const bool majority = most->size() * 2 > callers;
    for (const Ranks& side : sides) {
      if (!majority || &side != &*most) accuse(Blame::Cause::mismatch, side);
    }
  };
  for (const Place& place : all) {
    if (place.sides.size() > 1) accuse_odd(place.sides);
  }
  // Calls that did not match and completed are the cause of a later hang.
  const std::vector<std::vector<Ranks>> crossed = crossings(end);
  if (blame.cause == Blame::Cause::none && !crossed.empty()) {
    accuse_odd(crossed.front());
    // Which communicator was the first depends on timing.
    if (crossed.size() == 1) blame.culprits.emplace(culprits.begin(), culprits.end());
    return blame;
  }
  std::set<std::size_t>
      held_by_closers;  // they wait for a closed rank, so no cycle of theirs counts
  std::erase_if(all, [&](const Place& place) {
    const Ranks closed = closers(place, end);
    if (!closed.empty()) accuse(Blame::Cause::missing, closed);
    if (!closed.empty()) held_by_closers.insert(place.waiting.front());
    return !closed.empty();
  });
  for (std::size_t gone = 0; gone < ranks_.size(); ++gone) {
    if (!has_left(end, gone)) continue;
    std::set<std::size_t> odd;
    bool is_missed = false;
    bool excused = true;
    for (const Place& place : all) {
      if (!holds(place.missing, gone)) continue;
      is_missed = true;
      const Ranks callers = odd_callers(place, end);
      excused = excused && !callers.empty();
      odd.insert(callers.begin(), callers.end());
    }
    if (is_missed && excused) accuse(Blame::Cause::left, odd);
    if (is_missed && !excused) accuse(Blame::Cause::left, Ranks{gone});
  }
  std::vector<Ranks> waits_for(ranks_.size());
  for (const Place& place : all) {
    Ranks& to = waits_for[place.waiting.front()];
    to.insert(to.end(), place.missing.begin(), place.missing.end());
  }
  const std::vector<std::set<std::size_t>> reach = closure(waits_for);
  // Those that wait in a collective with half of its members may be victims, and those whose
  // messages all are from or for one rank.
  std::set<std::size_t> with_half;
  std::vector<std::set<std::size_t>> partners(ranks_.size());
  for (const Place& place : all) {
    const std::size_t waiting = place.waiting.front();
    if (is_message(operations_[place.operation].call.op)) {
      partners[waiting].insert(place.missing.begin(), place.missing.end());
    } else if (place.came * 2 == place.members) {
      with_half.insert(waiting);
    }
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (partners[rank].size() == 1) with_half.insert(rank);
  }
  bool open = false;  // whether the rules leave the culprits of a cycle open
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const bool in_last_circle =
        !reach[rank].empty() &&
        std::all_of(reach[rank].begin(), reach[rank].end(), [&](std::size_t to) {
          return reach[to].contains(rank) && !held_by_closers.contains(to);
        });
    if (!in_last_circle) continue;
    bool all_called = true;
    bool all_messages = true;
    std::set<std::size_t> few;
    std::set<std::size_t> with_few;  // wait where no majority has come
    std::size_t fewest = 0;
    std::vector<Place> circle;
    std::ranges::copy_if(all, std::back_inserter(circle), [&](const Place& place) {
      return reach[rank].contains(place.waiting.front());
    });
    const bool all_victims = std::ranges::all_of(circle, [&](const Place& place) {
      return place.came * 2 <= place.members || left_out(place, circle).empty();
    });
    for (const Place& place : circle) {
      all_called = all_called && place.absent.empty();
      all_messages = all_messages && is_message(operations_[place.operation].call.op);
      const bool is_message_place = is_message(operations_[place.operation].call.op);
      if (is_message_place || place.came * 2 <= place.members) {
        with_few.insert(place.waiting.front());
      }
      const Ranks odd = all_victims ? place.missing : left_out(place, circle);
      if (place.came * 2 <= place.members || odd.empty()) continue;
      if (!few.empty() && odd.size() > fewest) continue;
      if (odd.size() < fewest) few.clear();
      fewest = odd.size();
      few.insert(odd.begin(), odd.end());
    }
    const bool may_be_victims =
        std::ranges::any_of(few, [&](std::size_t missing) { return with_half.contains(missing); });
    if (!all_called && !few.empty() && !may_be_victims) {
      accuse(Blame::Cause::missing, few);
    } else if (all_called || reach[rank].size() == 1) {
      open = open || (all_called && !all_messages);
      accuse(Blame::Cause::circle, reach[rank]);
    } else {
      const std::set<std::size_t> core = in_circles(waits_for, with_few);
      const std::set<std::size_t> odd = knots(waits_for, core.empty() ? reach[rank] : core);
      accuse(odd.size() == 1 ? Blame::Cause::missing : Blame::Cause::circle, odd);
    }
  }
  if (blame.cause != Blame::Cause::circle || !open)
    blame.culprits.emplace(culprits.begin(), culprits.end());
  return blame;
}

}  // namespace gridlock::fuzz
