// Slots and messages at which ranks wait, who has not come, and who has left.
#include "tests/fuzz/oracle/places.h"

#include <algorithm>
#include <set>

namespace gridlock::fuzz {

bool holds(const Ranks& ranks, std::size_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

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

}  // namespace gridlock::fuzz
