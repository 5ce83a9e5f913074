// Computes the possible steps in a state.
#include "tests/fuzz/machine.h"

#include <algorithm>

namespace gridlock::fuzz {

bool Machine::host_can_step(const State& state, std::size_t rank) const {
  const std::size_t next = byte(state, rank);
  if (next == program_.ranks[rank].size()) return false;
  const std::vector<Mark>& awaited = ranks_[rank].awaited[next];
  return std::all_of(awaited.begin(), awaited.end(), [&](const Mark& mark) {
    return head(state, rank, mark.stream) >= mark.position;
  });
}

bool Machine::stream_can_step(const State& state, std::size_t rank, std::size_t stream) const {
  const std::size_t next = head(state, rank, stream);
  if (next == enqueued(state, rank, stream)) return false;
  const Item& item = ranks_[rank].streams[stream][next];
  return item.unit == kNobody ? head(state, rank, item.stream) >= item.position
                              : unit_done(state, item.unit);
}

bool Machine::unit_done(const State& state, std::size_t unit) const {
  const std::vector<std::size_t>& all = units_[unit].operations;
  return std::all_of(all.begin(), all.end(),
                     [&](std::size_t operation) { return done(state, operation); });
}

// Whether the stream has reached the operation's unit, and all that must be done first is done.
bool Machine::reached(const State& state, std::size_t operation) const {
  if (done(state, operation)) return true;
  const Operation& self = operations_[operation];
  const Unit& unit = units_[self.unit];
  if (unit.before != kNobody && !unit_done(state, unit.before)) return false;
  if (self.after != kNobody && !done(state, self.after)) return false;
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    const std::size_t next = head(state, self.rank, stream);
    if (next < enqueued(state, self.rank, stream) &&
        ranks_[self.rank].streams[stream][next].unit == self.unit) {
      return true;
    }
  }
  return false;
}

bool Machine::can_complete(const State& state, std::size_t operation) const {
  if (!reached(state, operation)) return false;
  const Operation& self = operations_[operation];
  const std::vector<int>& members = program_.communicators[at(self.call.communicator)];
  const int own = rank_in(members, static_cast<int>(self.rank));
  for (int peer = 0; peer < static_cast<int>(members.size()); ++peer) {
    if (peer == own || !needs(self.call, own, peer)) continue;
    const std::size_t other = counterpart(operation, peer);
    if (other == kNobody || !reached(state, other)) return false;
    if (!fits(self, operations_[other])) return false;
  }
  return true;
}

// Whether rank `own`, which makes this call, can go on only when `peer` has come.
bool Machine::needs(const Instruction& call, int own, int peer) {
  const bool large = call.size == Size::large;
  switch (call.op) {
    case Op::all_reduce:
    case Op::all_gather:
    case Op::reduce_scatter:
      return true;
    case Op::broadcast:
      return own == call.peer ? large : peer == call.peer;
    case Op::reduce:
      return own == call.peer || large;
    case Op::send:
      return peer == call.peer && large;
    case Op::recv:
      return peer == call.peer;
    default:
      return false;
  }
}

// The operation of `peer` (a rank of the communicator) in the same slot.
std::size_t Machine::counterpart(std::size_t operation, int peer) const {
  const Operation& self = operations_[operation];
  const std::vector<int>& members = program_.communicators[at(self.call.communicator)];
  const int own = rank_in(members, static_cast<int>(self.rank));
  for (std::size_t index = 0; index < operations_.size(); ++index) {
    const Operation& other = operations_[index];
    if (other.rank != at(members[at(peer)]) || other.slot != self.slot) continue;
    if (other.call.communicator != self.call.communicator) continue;
    const bool matches =
        is_collective(self.call.op)
            ? is_collective(other.call.op)
            : is_message(other.call.op) && other.call.op != self.call.op && other.call.peer == own;
    if (matches) return index;
  }
  return kNobody;
}

bool Machine::fits(const Operation& one, const Operation& other) {
  if (one.call.size != other.call.size) return false;
  if (is_message(one.call.op)) return true;
  return one.call.op == other.call.op &&
         (!has_peer(one.call.op) || one.call.peer == other.call.peer);
}

}  // namespace gridlock::fuzz
