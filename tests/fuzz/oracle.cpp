#include "tests/fuzz/oracle.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>

namespace gridlock::fuzz {
namespace {

constexpr std::size_t kNobody = SIZE_MAX;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// One operation of one rank, and where the others' operations of the same slot are.
struct Operation {
  Instruction call;
  std::size_t rank = 0;
  std::size_t unit = kNobody;
  std::size_t after = kNobody;  // operation of the same unit that has to be done first
  std::size_t slot = 0;         // per communicator; of a message: per communicator and direction
};

struct Unit {
  std::vector<std::size_t> operations;
  std::size_t before = kNobody;  // the rank's unit before it on the same communicator
};

// One item of a stream's queue: a unit, or a wait for the first `position` items of another stream.
struct Item {
  std::size_t unit = kNobody;
  std::size_t stream = 0;
  std::size_t position = 0;
  std::size_t enqueued_by = 0;  // instruction of the host
};

// What a sync call waits for: the first `position` items of a stream.
struct Mark {
  std::size_t stream = 0;
  std::size_t position = 0;
};

struct Rank {
  std::array<std::vector<Item>, kMaxStreams> streams;
  std::vector<std::vector<Mark>> awaited;  // of each instruction
};

// All that does not change while the program runs.
class Machine {
 public:
  explicit Machine(const Program& program) : program_(program), ranks_(program.ranks.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) lay_out(rank);
  }

  // How far the program is: one byte for each rank's host, each stream, each operation.
  using State = std::string;

  State start() const { return State(operations_begin() + operations_.size(), '\0'); }

  // Every state that one step leads to.
  std::vector<State> successors(const State& state) const {
    std::vector<State> next;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (host_can_step(state, rank)) next.push_back(stepped(state, rank));
      for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
        if (stream_can_step(state, rank, stream)) {
          next.push_back(stepped(state, stream_byte(rank, stream)));
        }
      }
    }
    for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
      if (!done(state, operation) && can_complete(state, operation)) {
        next.push_back(stepped(state, operations_begin() + operation));
      }
    }
    return next;
  }

  Fate fate(const State& end) const {
    Fate fate;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const bool returned = byte(end, rank) == program_.ranks[rank].size();
      bool empty = true;
      for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
        empty = empty && head(end, rank, stream) == enqueued(end, rank, stream);
      }
      fate.finishes.push_back(returned && empty);
      fate.host_stuck_at.push_back(returned && empty ? -1 : static_cast<int>(byte(end, rank)));
    }
    return fate;
  }

 private:
  // Where things are in a state.
  static std::size_t byte(const State& state, std::size_t index) {
    return static_cast<unsigned char>(state[index]);
  }
  std::size_t stream_byte(std::size_t rank, std::size_t stream) const {
    return ranks_.size() + rank * kMaxStreams + stream;
  }
  std::size_t operations_begin() const { return ranks_.size() * (1 + kMaxStreams); }
  std::size_t head(const State& state, std::size_t rank, std::size_t stream) const {
    return byte(state, stream_byte(rank, stream));
  }
  bool done(const State& state, std::size_t operation) const {
    return byte(state, operations_begin() + operation) != 0;
  }
  static State stepped(State state, std::size_t index) {
    ++state[index];
    return state;
  }
  // How many items of the stream the host has come to enqueue.
  std::size_t enqueued(const State& state, std::size_t rank, std::size_t stream) const {
    const std::vector<Item>& items = ranks_[rank].streams[stream];
    return static_cast<std::size_t>(
        std::count_if(items.begin(), items.end(),
                      [&](const Item& item) { return item.enqueued_by < byte(state, rank); }));
  }

  // What can happen.
  bool host_can_step(const State& state, std::size_t rank) const {
    const std::size_t next = byte(state, rank);
    if (next == program_.ranks[rank].size()) return false;
    const std::vector<Mark>& awaited = ranks_[rank].awaited[next];
    return std::all_of(awaited.begin(), awaited.end(), [&](const Mark& mark) {
      return head(state, rank, mark.stream) >= mark.position;
    });
  }

  bool stream_can_step(const State& state, std::size_t rank, std::size_t stream) const {
    const std::size_t next = head(state, rank, stream);
    if (next == enqueued(state, rank, stream)) return false;
    const Item& item = ranks_[rank].streams[stream][next];
    return item.unit == kNobody ? head(state, rank, item.stream) >= item.position
                                : unit_done(state, item.unit);
  }

  bool unit_done(const State& state, std::size_t unit) const {
    const std::vector<std::size_t>& all = units_[unit].operations;
    return std::all_of(all.begin(), all.end(),
                       [&](std::size_t operation) { return done(state, operation); });
  }

  // Its stream is at the unit, and what must be done first is done.
  bool reached(const State& state, std::size_t operation) const {
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

  bool can_complete(const State& state, std::size_t operation) const {
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

  // Whether the one that calls this as rank `own` can go on only when `peer` has come.
  static bool needs(const Instruction& call, int own, int peer) {
    const bool large = call.size == Size::large;
    switch (call.op) {
      case Op::all_reduce:
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
  std::size_t counterpart(std::size_t operation, int peer) const {
    const Operation& self = operations_[operation];
    const std::vector<int>& members = program_.communicators[at(self.call.communicator)];
    const int own = rank_in(members, static_cast<int>(self.rank));
    for (std::size_t index = 0; index < operations_.size(); ++index) {
      const Operation& other = operations_[index];
      if (other.rank != at(members[at(peer)]) || other.slot != self.slot) continue;
      if (other.call.communicator != self.call.communicator) continue;
      const bool matches = is_collective(self.call.op)
                               ? is_collective(other.call.op)
                               : is_message(other.call.op) && other.call.op != self.call.op &&
                                     other.call.peer == own;
      if (matches) return index;
    }
    return kNobody;
  }

  static bool fits(const Operation& one, const Operation& other) {
    if (one.call.size != other.call.size) return false;
    if (is_message(one.call.op)) return true;
    return one.call.op == other.call.op &&
           (!has_peer(one.call.op) || one.call.peer == other.call.peer);
  }

  // Laying out a rank's calls.
  void lay_out(std::size_t rank) {
    const std::vector<Instruction>& code = program_.ranks[rank];
    auto& streams = ranks_[rank].streams;
    ranks_[rank].awaited.resize(code.size());
    std::array<std::optional<Mark>, kMaxEvents> events;
    for (std::size_t index = 0; index < code.size(); ++index) {
      const Instruction& call = code[index];
      std::vector<Mark>& awaited = ranks_[rank].awaited[index];
      const std::size_t stream = at(call.stream);
      switch (call.op) {
        case Op::record_event:
          events.at(at(call.event)) = Mark{stream, streams[stream].size()};
          break;
        case Op::wait_event:
          if (const std::optional<Mark>& mark = events.at(at(call.event))) {
            streams[stream].push_back({kNobody, mark->stream, mark->position, index});
          }
          break;
        case Op::sync_event:
          if (const std::optional<Mark>& mark = events.at(at(call.event))) awaited.push_back(*mark);
          break;
        case Op::sync_stream:
          awaited.push_back({stream, streams[stream].size()});
          break;
        case Op::copy:
          for (int each = 0; each < kMaxStreams; ++each) {
            if (is_blocking_stream(each)) awaited.push_back({at(each), streams[at(each)].size()});
          }
          break;
        case Op::free:
        case Op::sync_device:
          for (std::size_t each = 0; each < kMaxStreams; ++each) {
            awaited.push_back({each, streams[each].size()});
          }
          break;
        default:
          const std::size_t end = group_end(code, index);
          lay_out_group(rank, index, end);
          index = end - 1;
          break;
      }
    }
  }

  // A group is enqueued by its end: the calls [begin, end) make one unit a communicator.
  void lay_out_group(std::size_t rank, std::size_t begin, std::size_t end) {
    const std::vector<Instruction>& code = program_.ranks[rank];
    std::vector<int> order;  // communicators, by their first call in the group
    for (std::size_t index = begin; index < end; ++index) {
      if (std::find(order.begin(), order.end(), code[index].communicator) == order.end()) {
        order.push_back(code[index].communicator);
      }
    }
    for (const int communicator : order) {
      std::vector<Instruction> calls;
      for (std::size_t index = begin; index < end; ++index) {
        if (code[index].communicator == communicator) calls.push_back(code[index]);
      }
      enqueue(rank, end - 1, make_unit(rank, calls), calls);
    }
  }

  std::size_t make_unit(std::size_t rank, const std::vector<Instruction>& calls) {
    const std::size_t unit = units_.size();
    units_.emplace_back();
    for (std::size_t index = unit; index-- > 0;) {
      const Operation& first = operations_[units_[index].operations.front()];
      if (first.rank != rank || first.call.communicator != calls.front().communicator) continue;
      units_[unit].before = index;
      break;
    }
    for (const Instruction& call : calls) {
      Operation operation{call, rank, unit, kNobody, slot_of(rank, call)};
      for (const std::size_t earlier : units_[unit].operations) {
        if (goes_after(call, operations_[earlier].call)) operation.after = earlier;
      }
      units_[unit].operations.push_back(operations_.size());
      operations_.push_back(operation);
    }
    return unit;
  }

  // Whether two calls of one unit go one after the other. What was received first must be taken
  // first; a message can be sent before the one ahead of it is taken.
  static bool goes_after(const Instruction& call, const Instruction& earlier) {
    if (is_collective(call.op)) return is_collective(earlier.op);
    return call.op == Op::recv && earlier.op == Op::recv && earlier.peer == call.peer;
  }

  // How many calls before this one count in the same row.
  std::size_t slot_of(std::size_t rank, const Instruction& call) const {
    return static_cast<std::size_t>(
        std::count_if(operations_.begin(), operations_.end(), [&](const Operation& earlier) {
          if (earlier.rank != rank || earlier.call.communicator != call.communicator) return false;
          return is_collective(call.op)
                     ? is_collective(earlier.call.op)
                     : earlier.call.op == call.op && earlier.call.peer == call.peer;
        }));
  }

  void enqueue(std::size_t rank, std::size_t instruction, std::size_t unit,
               const std::vector<Instruction>& calls) {
    auto& streams = ranks_[rank].streams;
    const std::size_t main = at(calls.front().stream);
    std::vector<std::size_t> others;
    for (const Instruction& call : calls) {
      const std::size_t stream = at(call.stream);
      if (stream == main) continue;
      if (std::find(others.begin(), others.end(), stream) == others.end()) others.push_back(stream);
    }
    for (const std::size_t other : others) {
      streams[main].push_back({kNobody, other, streams[other].size(), instruction});
    }
    streams[main].push_back({unit, 0, 0, instruction});
    for (const std::size_t other : others) {
      streams[other].push_back({kNobody, main, streams[main].size(), instruction});
    }
  }

  const Program& program_;
  std::vector<Rank> ranks_;
  std::vector<Unit> units_;
  std::vector<Operation> operations_;
};

// All ends that can be reached; nothing where there are more than `bound` states.
std::optional<std::vector<Machine::State>> all_ends(const Machine& machine, std::size_t bound,
                                                    std::size_t& visited) {
  std::unordered_set<Machine::State> known{machine.start()};
  std::vector<Machine::State> open{machine.start()};
  std::vector<Machine::State> ends;
  while (!open.empty()) {
    const Machine::State state = std::move(open.back());
    open.pop_back();
    const std::vector<Machine::State> next = machine.successors(state);
    if (next.empty()) ends.push_back(state);
    for (const Machine::State& successor : next) {
      if (known.insert(successor).second) open.push_back(successor);
    }
    visited = known.size();
    if (visited > bound) return std::nullopt;
  }
  return ends;
}

Machine::State one_end(const Machine& machine, std::size_t& visited) {
  Machine::State state = machine.start();
  for (;;) {
    ++visited;
    const std::vector<Machine::State> next = machine.successors(state);
    if (next.empty()) return state;
    state = next.front();
  }
}

}  // namespace

bool Fate::dead() const { return !stuck_ranks().empty(); }

std::vector<int> Fate::stuck_ranks() const {
  std::vector<int> stuck;
  for (std::size_t rank = 0; rank < finishes.size(); ++rank) {
    if (!finishes[rank]) stuck.push_back(static_cast<int>(rank));
  }
  return stuck;
}

Fate foretell(const Program& program, std::size_t bound) {
  const Machine machine(program);
  std::size_t visited = 0;
  const auto ends = all_ends(machine, bound, visited);
  if (ends && ends->size() != 1) {
    throw std::logic_error("the end depends on the interleaving:\n" + to_text(program));
  }
  Fate fate = machine.fate(ends ? ends->front() : one_end(machine, visited));
  fate.states = visited;
  fate.exhaustive = ends.has_value();
  return fate;
}

}  // namespace gridlock::fuzz
