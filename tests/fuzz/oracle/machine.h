// The oracle's machine: a program laid out as hosts, streams, units and operations, and the steps
// that are possible in each of its states. See oracle.h for the rules.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/oracle/oracle.h"
#include "tests/fuzz/programs/program.h"

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

// The call with which a host enqueues something: the last one of a group, or a copy's own.
struct Caller {
  std::size_t host = 0;
  std::size_t instruction = 0;
  bool copies = false;  // then it does so before it connects for the group
};

struct Unit {
  std::vector<std::size_t> operations;
  std::size_t before = kNobody;  // the rank's unit before it on the same communicator
  Caller caller;
};

// The first `position` items of a stream, for which something waits.
struct Mark {
  std::size_t stream = 0;
  std::size_t position = 0;
};

// One item of a stream's queue: a unit, or a wait for a part of another stream.
struct Item {
  std::size_t unit = kNobody;
  Mark awaited;
  Caller caller;
};

struct Rank {
  std::array<std::vector<Item>, kMaxStreams> streams;
  std::vector<std::size_t> hosts;  // the main thread's first
};

struct Host {
  std::size_t rank = 0;
  std::vector<Instruction> code;  // without what comes after a crash
  std::vector<Mark> records;      // by instruction: what an event marks that it records
  bool alone = true;              // its rank has no other thread
};

// Everything that does not change while the program runs.
class Machine {
 public:
  explicit Machine(const Program& program);

  // How far the program has come. Bytes: each host's position in its code and where it is in the
  // call there; for each host and stream, up to where that call waits for it; each rank's
  // counters; how many items each stream has passed; what became of each operation.
  using State = std::string;

  State start() const;
  // Takes every step that no other step can prevent or change.
  State rested(State state) const;
  // Every state that one of the other steps leads to.
  std::vector<State> choices(const State& state) const;
  // Every state that one step leads to.
  std::vector<State> successors(const State& state) const;

  Fate fate(const State& end) const;

  // blame.cpp
  // Who is at fault in `end`, a state without a successor, by the rules of the design.
  Blame blame(const State& end) const;

 private:
  friend class Recording;

  enum class Inside : unsigned char {
    nothing,
    call,
    connecting  // at the end of a call or group
  };

  enum class Done : unsigned char {
    no,
    yes,
    given,   // ended by an abort, when the others had its data
    dropped  // ended by an abort, before that
  };

  // Where things are in a state.
  static std::size_t byte(const State& state, std::size_t index) {
    return static_cast<unsigned char>(state[index]);
  }
  std::size_t inside_byte(std::size_t host) const { return hosts_.size() + host; }
  std::size_t awaited_byte(std::size_t host, std::size_t stream) const {
    return 2 * hosts_.size() + host * kMaxStreams + stream;
  }
  std::size_t counter_byte(std::size_t rank, int counter) const {
    return (2 + kMaxStreams) * hosts_.size() + rank * kMaxEvents + at(counter);
  }
  std::size_t stream_byte(std::size_t rank, std::size_t stream) const {
    return (2 + kMaxStreams) * hosts_.size() + ranks_.size() * kMaxEvents + rank * kMaxStreams +
           stream;
  }
  std::size_t operation_byte(std::size_t operation) const {
    return stream_byte(ranks_.size(), 0) + operation;
  }
  bool at_end(const State& state, std::size_t host) const {
    return byte(state, host) == hosts_[host].code.size();
  }
  const Instruction& next_call(const State& state, std::size_t host) const {
    return hosts_[host].code[byte(state, host)];
  }
  bool is_inside(const State& state, std::size_t host) const {
    return byte(state, inside_byte(host)) == static_cast<std::size_t>(Inside::call);
  }
  bool is_connecting(const State& state, std::size_t host) const {
    return byte(state, inside_byte(host)) == static_cast<std::size_t>(Inside::connecting);
  }
  std::size_t head(const State& state, std::size_t rank, std::size_t stream) const {
    return byte(state, stream_byte(rank, stream));
  }
  Done what_became(const State& state, std::size_t operation) const {
    return static_cast<Done>(byte(state, operation_byte(operation)));
  }
  bool done(const State& state, std::size_t operation) const {
    return what_became(state, operation) != Done::no;
  }
  static State with(State state, std::size_t index, std::size_t value) {
    state[index] = static_cast<char>(value);
    return state;
  }
  bool called(const State& state, const Caller& caller) const {
    const std::size_t place = byte(state, caller.host);
    return caller.instruction < place ||
           (caller.instruction == place && caller.copies && is_connecting(state, caller.host)) ||
           (caller.instruction == place && is_inside(state, caller.host) &&
            is_mpi(program_, next_call(state, caller.host)));
  }
  bool called(const State& state, std::size_t operation) const {
    return called(state, units_[operations_[operation].unit].caller);
  }
  // How many items of the stream have been enqueued.
  std::size_t enqueued(const State& state, std::size_t rank, std::size_t stream) const;

  // hosts.cpp: the steps of host threads.
  struct Step {
    State next;
    bool is_choice = false;  // what it leads to depends on when it is taken
  };
  // The host's next step, or steps: an abort may come before or after an operation is complete.
  std::vector<Step> host_steps(const State& state, std::size_t host) const;
  std::vector<State> drops(const State& state, std::size_t host) const;
  std::vector<Mark> awaited(const State& state, std::size_t host) const;
  bool has_passed(const State& state, std::size_t host) const;
  std::optional<Mark> recorded(const State& state, std::size_t host, int event) const;
  bool enqueues(std::size_t host, std::size_t instruction) const;
  bool connects(std::size_t host, std::size_t instruction) const;
  bool is_connected(const State& state, std::size_t host) const;
  bool is_gathered(const State& state, std::size_t host) const;
  bool has_come(const State& state, std::size_t host, const Instruction& call,
                std::ptrdiff_t earlier) const;
  bool has_done_all(const State& state, std::size_t rank, int communicator) const;
  bool has_announced(const State& state, std::size_t rank, const Instruction& call,
                     int caller) const;

  // machine.cpp: the steps of streams and operations.
  bool held_by_copy(const State& state, std::size_t rank, std::size_t stream) const;
  bool stream_can_step(const State& state, std::size_t rank, std::size_t stream) const;
  bool unit_done(const State& state, std::size_t unit) const;
  bool reached(const State& state, std::size_t operation) const;
  bool can_complete(const State& state, std::size_t operation) const;
  bool can_be_dropped(const Operation& operation) const;
  static bool needs(const Instruction& call, int own, int peer);
  std::size_t counterpart(std::size_t operation, int peer) const;
  bool fits(const Operation& one, const Operation& other) const;

  // places.cpp: calls that differ and completed nevertheless; for each communicator, its first
  // slot.
  std::vector<std::vector<std::vector<std::size_t>>> crossings(const State& end) const;
  // A place where ranks wait in the end (places.h).
  struct Place;
  std::vector<Place> places(const State& end) const;
  void complete(Place& place, const State& end) const;
  bool has_left(const State& end, std::size_t rank) const;
  bool has_crashed(std::size_t rank) const;
  bool has_given_up(const State& end, std::size_t rank, int communicator) const;
  std::vector<std::size_t> closers(const Place& place, const State& end) const;
  std::vector<std::size_t> odd_callers(const Place& place, const State& end) const;
  bool comes_first(const Place& first, const Place& second) const;
  std::vector<std::size_t> left_out(const Place& place, const std::vector<Place>& circle) const;

  // layout.cpp: a thread's calls.
  void lay_out(std::size_t host);
  void enqueue_group(std::size_t host, std::size_t last, const std::vector<Instruction>& group);
  std::size_t make_unit(Caller caller, const std::vector<Instruction>& calls);
  static bool goes_after(const Instruction& call, const Instruction& earlier);
  std::size_t slot_of(std::size_t rank, const Instruction& call) const;
  void enqueue(Caller caller, std::size_t unit, const std::vector<Instruction>& calls);

  Program program_;
  std::vector<Host> hosts_;
  std::vector<Rank> ranks_;
  std::vector<Unit> units_;
  std::vector<Operation> operations_;
};

// oracle.cpp
// All ends that can be reached from `from`, which has rested if `steps` are chosen; nothing if
// there are more than `bound` states. `visited`: how many there were.
std::vector<Machine::State> all_ends(const Machine& machine, const Machine::State& from,
                                     Steps steps, std::size_t bound, std::size_t& visited);

}  // namespace gridlock::fuzz
