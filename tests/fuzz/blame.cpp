// Who is to blame, by the rules of the design: ranks whose calls do not match, whether they hang
// there or passed earlier; ranks that have left, unless most have left and a few differ; in a
// cycle, the few ranks that most ranks wait for where the fewest are missing (not counting those
// that wait in a call which the others make before the one that is missing; unless one of them
// waits with half of a collective's members, or for messages of one other rank), otherwise the
// ranks without which there is no cycle, or all of them but those that wait with a majority alone.
#include <algorithm>
#include <set>

#include "tests/fuzz/machine.h"

namespace gridlock::fuzz {

using Ranks = std::vector<std::size_t>;

// Where ranks wait for others: a slot of a communicator, or a message.
struct Machine::Place {
  std::size_t operation = 0;  // one of those that wait there
  Ranks waiting;
  Ranks missing;             // that have not come; sorted
  Ranks absent;              // those of `missing` that have not even called
  Ranks callers;             // sorted
  std::vector<Ranks> sides;  // callers whose calls fit each other
  std::size_t members = 2;
  std::size_t came = 0;
};

namespace {

bool holds(const Ranks& ranks, std::size_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Which ranks each one waits for, directly or through others.
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

// Those of `among` that wait in circles if nobody else is there.
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

// Those of `circle` without whom there is none; all of them if there is no such rank.
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

}  // namespace

bool Machine::has_left(const State& end, std::size_t rank) const {
  const std::vector<std::size_t>& hosts = ranks_[rank].hosts;
  bool over =
      std::all_of(hosts.begin(), hosts.end(), [&](std::size_t host) { return at_end(end, host); });
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    over = over && head(end, rank, stream) == enqueued(end, rank, stream);
  }
  return over;
}

bool Machine::has_crashed(std::size_t rank) const {
  const std::vector<Instruction>& code = hosts_[rank].code;
  return !code.empty() && code.back().op == Op::crash;
}

bool Machine::has_given_up(const State& end, std::size_t rank, int communicator) const {
  const std::vector<std::size_t>& hosts = ranks_[rank].hosts;
  return std::any_of(hosts.begin(), hosts.end(), [&](std::size_t host) {
    const auto begin = hosts_[host].code.begin();
    return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(byte(end, host)),
                       [&](const Instruction& call) {
                         return gives_up(call.op) && call.communicator == communicator;
                       });
  });
}

// Ranks that will not come because they gave up the communicator, whatever else they do. That alone
// makes the wait endless. A rank that has also left counts among those that left.
Ranks Machine::closers(const Place& place, const State& end) const {
  Ranks all;
  std::copy_if(place.missing.begin(), place.missing.end(), std::back_inserter(all),
               [&](std::size_t rank) {
                 return !has_left(end, rank) &&
                        has_given_up(end, rank, operations_[place.operation].call.communicator);
               });
  return all;
}

// One place for each operation that waits; two operations of the same slot give the same place
// twice.
std::vector<Machine::Place> Machine::places(const State& end) const {
  std::vector<Place> all;
  for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
    if (!called(end, operation) || done(end, operation) || !reached(end, operation)) continue;
    Place place;
    place.operation = operation;
    place.waiting = {operations_[operation].rank};
    complete(place, end);
    const bool misfit = place.sides.size() > 1;
    if (misfit || !place.missing.empty()) all.push_back(place);
  }
  return all;
}

void Machine::complete(Place& place, const State& end) const {
  const Operation& self = operations_[place.operation];
  const std::vector<int>& members = program_.communicators[at(self.call.communicator)];
  const int own = rank_in(members, static_cast<int>(self.rank));
  if (is_collective(self.call.op)) place.members = members.size();
  for (int peer = 0; peer < static_cast<int>(members.size()); ++peer) {
    if (is_message(self.call.op) && peer != own && peer != self.call.peer) continue;
    const std::size_t rank = at(members[at(peer)]);
    const std::size_t other = peer == own ? place.operation : counterpart(place.operation, peer);
    const bool is_called = other != kNobody && called(end, other);
    if (is_called) {
      place.callers.push_back(rank);
      const auto side =
          std::find_if(place.sides.begin(), place.sides.end(), [&](const Ranks& ranks) {
            const std::size_t first =
                rank_in(members, static_cast<int>(ranks.front())) == own
                    ? place.operation
                    : counterpart(place.operation,
                                  rank_in(members, static_cast<int>(ranks.front())));
            return fits(operations_[first], operations_[other]);
          });
      if (side == place.sides.end()) {
        place.sides.push_back({rank});
      } else {
        side->push_back(rank);
      }
    }
    if (is_called && reached(end, other)) {
      ++place.came;
    } else if (needs(self.call, own, peer)) {
      place.missing.push_back(rank);
      if (!is_called) place.absent.push_back(rank);
    }
  }
}

// The sides that met there. An abort ends operations that met no other.
std::vector<std::vector<Ranks>> Machine::crossings(const State& end) const {
  std::vector<std::vector<Ranks>> all;
  std::set<int> found;
  for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
    const Operation& self = operations_[operation];
    const int communicator = self.call.communicator;
    if (!is_collective(self.call.op) || found.contains(communicator)) continue;
    const std::vector<int>& members = program_.communicators[at(communicator)];
    if (rank_in(members, static_cast<int>(self.rank)) != 0) continue;
    std::vector<std::pair<std::size_t, Ranks>> sides;  // by one of its operations
    const bool went_through = std::all_of(members.begin(), members.end(), [&](int rank) {
      const int peer = rank_in(members, rank);
      const std::size_t other = peer == 0 ? operation : counterpart(operation, peer);
      if (other == kNobody || !called(end, other) || !done(end, other) ||
          has_given_up(end, at(rank), communicator)) {
        return false;
      }
      const auto side = std::find_if(sides.begin(), sides.end(), [&](const auto& one) {
        return fits(operations_[one.first], operations_[other]);
      });
      if (side == sides.end()) {
        sides.push_back({other, {at(rank)}});
      } else {
        side->second.push_back(at(rank));
      }
      return true;
    });
    if (!went_through || sides.size() < 2) continue;
    found.insert(communicator);
    std::vector<Ranks>& ranks = all.emplace_back();
    for (auto& side : sides) ranks.push_back(std::move(side.second));
  }
  return all;
}

// If most members have left without an error and without the call: the ranks that made it.
// Otherwise none.
Ranks Machine::odd_callers(const Place& place, const State& end) const {
  if (is_message(operations_[place.operation].call.op)) return {};
  const bool agreed = std::all_of(place.absent.begin(), place.absent.end(), [&](std::size_t rank) {
    return has_left(end, rank) && !has_crashed(rank) &&
           !has_given_up(end, rank, operations_[place.operation].call.communicator);
  });
  return agreed && place.absent.size() * 2 > place.members ? place.callers : Ranks{};
}

// Whether most of those that have made both calls, not in one group, made that of `first` before
// that of `second`. Not if all members have made one of them.
bool Machine::comes_first(const Place& first, const Place& second) const {
  if (first.callers.size() == first.members || second.callers.size() == second.members) {
    return false;
  }
  const auto line_of = [&](const Place& place, std::size_t rank) {
    const Operation& self = operations_[place.operation];
    const std::vector<int>& members = program_.communicators[at(self.call.communicator)];
    const int peer = rank_in(members, static_cast<int>(rank));
    const std::size_t call =
        rank == self.rank ? place.operation : counterpart(place.operation, peer);
    return units_[operations_[call].unit].caller.instruction;
  };
  int earlier = 0;
  for (const std::size_t rank : first.callers) {
    if (!holds(second.callers, rank)) continue;
    const std::size_t one = line_of(first, rank);
    const std::size_t other = line_of(second, rank);
    earlier += one < other ? 1 : one > other ? -1 : 0;
  }
  return earlier > 0;
}

// Those that are missing there, without those that wait where the others were before.
Ranks Machine::left_out(const Place& place, const std::vector<Place>& circle) const {
  Ranks found;
  for (const std::size_t rank : place.missing) {
    bool waits_before = false;
    bool waits_elsewhere = false;
    for (const Place& other : circle) {
      if (other.waiting.front() != rank) continue;
      const bool both = is_collective(operations_[place.operation].call.op) &&
                        is_collective(operations_[other.operation].call.op);
      (both && comes_first(other, place) ? waits_before : waits_elsewhere) = true;
    }
    const bool victim = holds(place.absent, rank) && waits_before && !waits_elsewhere;
    if (!victim) found.push_back(rank);
  }
  return found;
}

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
