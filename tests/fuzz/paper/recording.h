// What the black boxes of a program's ranks would show on one way through the oracle's machine.
// With it, the detector judges programs on paper: nothing runs, so millions of them are cheap, and
// it sees every state between two steps, also those that pass too fast in a run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/record/snapshot.h"
#include "tests/fuzz/oracle/machine.h"

namespace gridlock::fuzz {

// What an agent reads of a rank one after the other, while the rank goes on.
enum class Part { threads, communicators, streams, operations, process, kernel };
inline constexpr std::array kParts{Part::threads,    Part::communicators, Part::streams,
                                   Part::operations, Part::process,       Part::kernel};

class Recording {
 public:
  // The machine must outlive the recording. `real`: by the real NCCL.
  explicit Recording(const Machine& machine, bool real);

  std::int64_t now_ns() const { return time_ns_; }
  // The machine has made one of Machine::successors().
  void step(const Machine::State& before, const Machine::State& after);
  // The host's next call, if it communicates, has begun, and enqueues nothing yet.
  void announce(const Machine::State& state, std::size_t host);
  // The device notes how far the rank's streams have come. It also does so before anybody can know.
  void note_progress(const Machine::State& state, std::size_t rank);

  // recording_tables.cpp
  // Adds to a new snapshot what this part of `rank` shows now.
  //   REQUIRES  the parts before it are there
  void read(Part part, const Machine::State& state, std::size_t rank, record::Snapshot& out) const;

 private:
  using State = Machine::State;

  // One operation in a rank's ring, by where it was called.
  struct Called {
    std::size_t host = 0;
    std::size_t instruction = 0;
    std::size_t group = 0;  // where its group begins
    std::uint64_t called = 0;
    std::uint64_t launched = 0;
    std::int64_t time_ns = 0;
    bool refused = false;
  };
  struct Waited {
    std::uint64_t launches = 0;  // when its last wait began
    std::int64_t since_ns = 0;
  };

  void call(std::size_t host, std::size_t instruction);
  bool is_launched_alone(const Instruction& call) const;
  bool waits_in_mpi(const State& state, std::size_t host) const;
  bool must_note(const State& before, const State& after, std::size_t rank) const;
  void launch(std::size_t host, std::size_t begin, std::size_t end);
  void begin_wait(std::size_t host);
  std::uint64_t position(std::size_t rank, std::size_t stream, std::size_t items) const;
  std::uint64_t position_of(const Called& one) const;
  const Instruction& call_of(const Called& one) const {
    return machine_.hosts_[one.host].code[one.instruction];
  }

  // recording_threads.cpp
  bool is_waiting(const State& state, std::size_t host) const;
  std::uint64_t epoch(const State& state, std::size_t host) const;
  record::Thread thread(const State& state, std::size_t host) const;
  void set_wait(record::Thread& thread, const State& state, std::size_t host) const;
  void read_threads(const State& state, std::size_t rank, record::Snapshot& out) const;
  void read_process(const State& state, std::size_t rank, record::Snapshot& out) const;
  void ask_kernel(const State& state, std::size_t rank, record::Snapshot& out) const;
  record::Sleep sleep(const State& state, std::size_t host) const;

  // recording_tables.cpp
  std::uint32_t entry_of(std::size_t rank, int communicator) const;
  void note_gatherings(const State& state, std::size_t host, int communicator,
                       record::Communicator& shown) const;
  void read_communicators(const State& state, std::size_t rank, record::Snapshot& out) const;
  void read_streams(const State& state, std::size_t rank, record::Snapshot& out) const;
  void read_operations(std::size_t rank, record::Snapshot& out) const;
  void number(const Called& one, std::size_t rank, record::Snapshot& out) const;

  const Machine& machine_;
  bool real_;
  std::vector<std::vector<Called>> rings_;    // by rank
  std::vector<std::uint64_t> launches_;       // by rank
  std::vector<std::vector<bool>> is_called_;  // by host and instruction
  std::vector<Waited> waits_;                 // by host
  struct Noted {
    std::size_t passed = 0;    // items of the stream
    bool has_started = false;  // on the next one
  };
  std::vector<std::array<Noted, kMaxStreams>> noted_;  // by rank
  std::int64_t time_ns_ = 1000;
};

}  // namespace gridlock::fuzz
