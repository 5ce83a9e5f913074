// Computes the possible steps in a state: of streams and operations here, of hosts in hosts.cpp.
#include "tests/fuzz/oracle/machine.h"

#include <algorithm>
#include <utility>

namespace gridlock::fuzz {

Machine::State Machine::start() const { return State(operation_byte(operations_.size()), '\0'); }

Machine::State Machine::rested(State state) const {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      for (Step& step : host_steps(state, host)) {
        if (step.is_choice) continue;
        state = std::move(step.next);
        moved = true;
      }
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
        while (stream_can_step(state, rank, stream)) {
          ++state[stream_byte(rank, stream)];
          moved = true;
        }
      }
    }
    for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
      if (can_be_dropped(operations_[operation]) || !can_complete(state, operation)) continue;
      state[operation_byte(operation)] = static_cast<char>(Done::yes);
      moved = true;
    }
  }
  return state;
}

std::vector<Machine::State> Machine::choices(const State& state) const {
  std::vector<State> next;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    for (Step& step : host_steps(state, host)) {
      if (step.is_choice) next.push_back(std::move(step.next));
    }
  }
  for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
    if (can_be_dropped(operations_[operation]) && can_complete(state, operation)) {
      next.push_back(with(state, operation_byte(operation), 1));
    }
  }
  return next;
}

std::vector<Machine::State> Machine::successors(const State& state) const {
  std::vector<State> next;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    for (Step& step : host_steps(state, host)) next.push_back(std::move(step.next));
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
      if (!stream_can_step(state, rank, stream)) continue;
      next.push_back(with(state, stream_byte(rank, stream), head(state, rank, stream) + 1));
    }
  }
  for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
    if (!can_complete(state, operation)) continue;
    next.push_back(with(state, operation_byte(operation), static_cast<std::size_t>(Done::yes)));
  }
  return next;
}

Fate Machine::fate(const State& end) const {
  Fate fate;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    fate.finishes.push_back(has_left(end, rank));
    fate.host_stuck_at.push_back(has_left(end, rank) ? -1 : static_cast<int>(byte(end, rank)));
  }
  return fate;
}

std::size_t Machine::enqueued(const State& state, std::size_t rank, std::size_t stream) const {
  const std::vector<Item>& items = ranks_[rank].streams[stream];
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [&](const Item& item) { return called(state, item.caller); }));
}

// Whether the stream's next item was enqueued while another thread was inside a copy: then it comes
// after the copy.
bool Machine::held_by_copy(const State& state, std::size_t rank, std::size_t stream) const {
  if (!is_blocking_stream(static_cast<int>(stream))) return false;
  const std::vector<std::size_t>& hosts = ranks_[rank].hosts;
  return std::any_of(hosts.begin(), hosts.end(), [&](std::size_t host) {
    return is_inside(state, host) && next_call(state, host).op == Op::copy &&
           byte(state, awaited_byte(host, stream)) <= head(state, rank, stream);
  });
}

bool Machine::stream_can_step(const State& state, std::size_t rank, std::size_t stream) const {
  const std::size_t next = head(state, rank, stream);
  if (next == enqueued(state, rank, stream) || held_by_copy(state, rank, stream)) return false;
  const Item& item = ranks_[rank].streams[stream][next];
  return item.unit == kNobody ? head(state, rank, item.awaited.stream) >= item.awaited.position
                              : unit_done(state, item.unit);
}

bool Machine::unit_done(const State& state, std::size_t unit) const {
  const std::vector<std::size_t>& all = units_[unit].operations;
  return std::all_of(all.begin(), all.end(),
                     [&](std::size_t operation) { return done(state, operation); });
}

// Whether the stream has reached the operation's unit, and all that must be done first is done.
bool Machine::reached(const State& state, std::size_t operation) const {
  if (done(state, operation)) return what_became(state, operation) != Done::dropped;
  const Operation& self = operations_[operation];
  const Unit& unit = units_[self.unit];
  if (unit.before != kNobody && !unit_done(state, unit.before)) return false;
  if (self.after != kNobody && !done(state, self.after)) return false;
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    const std::size_t next = head(state, self.rank, stream);
    if (next < enqueued(state, self.rank, stream) && !held_by_copy(state, self.rank, stream) &&
        ranks_[self.rank].streams[stream][next].unit == self.unit) {
      return true;
    }
  }
  return false;
}

bool Machine::can_complete(const State& state, std::size_t operation) const {
  if (done(state, operation) || !reached(state, operation)) return false;
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

// Whether an abort may end it.
bool Machine::can_be_dropped(const Operation& operation) const {
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const Host& host) {
    return std::any_of(host.code.begin(), host.code.end(), [&](const Instruction& call) {
      return call.op == Op::drop && call.communicator == operation.call.communicator;
    });
  });
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

bool Machine::fits(const Operation& one, const Operation& other) const {
  if (is_mpi(program_, one.call) && is_message(one.call.op)) return true;  // a receive takes either
  if (one.call.size != other.call.size) return false;
  if (is_message(one.call.op)) return true;
  return one.call.op == other.call.op &&
         (!has_peer(one.call.op) || one.call.peer == other.call.peer);
}

}  // namespace gridlock::fuzz
