// The oracle's machine: a program laid out as hosts, streams, units and operations, and the steps
// that are possible in each of its states. See oracle.h for the rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/fuzz/oracle.h"
#include "tests/fuzz/program.h"

namespace gridlock::fuzz {

constexpr std::size_t kNobody = SIZE_MAX;

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

// One operation of one rank, and its place among the others' operations.
struct Operation {
  Instruction call;
  std::size_t rank = 0;
  std::size_t unit = kNobody;
  std::size_t after = kNobody;  // the operation of the same unit that must be done first
  std::size_t slot = 0;         // per communicator; for a message per communicator and direction
};

struct Unit {
  std::vector<std::size_t> operations;
  std::size_t before = kNobody;  // the rank's unit before it on the same communicator
  std::size_t enqueued_by = 0;   // instruction of the host
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

// Everything that does not change while the program runs.
class Machine {
 public:
  explicit Machine(const Program& program) : program_(program), ranks_(program.ranks.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::vector<Instruction>& code = program_.ranks[rank];
      const auto crash = std::find_if(code.begin(), code.end(),
                                      [](const Instruction& call) { return call.op == Op::crash; });
      if (crash != code.end()) code.erase(crash + 1, code.end());
      lay_out(rank);
    }
  }

  // How far the program has come: one byte for each rank's host, each stream, each operation.
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

  // blame.cpp
  // Who is at fault in `end`, a state without a successor, by the rules of the design.
  Blame blame(const State& end) const;

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
  // How many items of the stream the host has enqueued.
  std::size_t enqueued(const State& state, std::size_t rank, std::size_t stream) const {
    const std::vector<Item>& items = ranks_[rank].streams[stream];
    return static_cast<std::size_t>(
        std::count_if(items.begin(), items.end(),
                      [&](const Item& item) { return item.enqueued_by < byte(state, rank); }));
  }

  // machine.cpp: what can happen.
  bool host_can_step(const State& state, std::size_t rank) const;
  bool stream_can_step(const State& state, std::size_t rank, std::size_t stream) const;
  bool called(const State& state, std::size_t operation) const {
    const Operation& self = operations_[operation];
    return units_[self.unit].enqueued_by < byte(state, self.rank);
  }
  bool unit_done(const State& state, std::size_t unit) const;
  bool reached(const State& state, std::size_t operation) const;
  bool can_complete(const State& state, std::size_t operation) const;
  static bool needs(const Instruction& call, int own, int peer);
  std::size_t counterpart(std::size_t operation, int peer) const;
  static bool fits(const Operation& one, const Operation& other);

  // blame.cpp: calls that differ and completed nevertheless; for each communicator, its first slot.
  std::vector<std::vector<std::vector<std::size_t>>> crossings(const State& end) const;
  // A place where ranks wait in the end.
  struct Place;
  std::vector<Place> places(const State& end) const;
  void complete(Place& place, const State& end) const;
  bool has_left(const State& end, std::size_t rank) const;
  bool has_crashed(std::size_t rank) const;
  bool has_aborted(const State& end, std::size_t rank, int communicator) const;
  std::vector<std::size_t> closers(const Place& place, const State& end) const;
  std::vector<std::size_t> odd_callers(const Place& place, const State& end) const;

  // layout.cpp: a rank's calls.
  void lay_out(std::size_t rank);
  void lay_out_group(std::size_t rank, std::size_t begin, std::size_t end);
  std::size_t make_unit(std::size_t rank, const std::vector<Instruction>& calls);
  static bool goes_after(const Instruction& call, const Instruction& earlier);
  std::size_t slot_of(std::size_t rank, const Instruction& call) const;
  void enqueue(std::size_t rank, std::size_t instruction, std::size_t unit,
               const std::vector<Instruction>& calls);

  Program program_;  // without the instructions after a crash
  std::vector<Rank> ranks_;
  std::vector<Unit> units_;
  std::vector<Operation> operations_;
};

}  // namespace gridlock::fuzz
