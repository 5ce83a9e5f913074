// What the black boxes of a program's ranks would show on one way through the oracle's machine.
// With it, the detector judges programs on paper: nothing runs, so millions of them are cheap, and
// it sees every state between two steps, also those that pass too fast in a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/record/snapshot.h"
#include "tests/fuzz/machine.h"

namespace gridlock::fuzz {

class Recording {
 public:
  // Of a program without MPI. The machine must outlive the recording.
  explicit Recording(const Machine& machine);

  // The machine has made one of Machine::successors().
  void step(const Machine::State& before, const Machine::State& after);

  // What the box of `rank` shows now.
  record::Snapshot box(const Machine::State& state, std::size_t rank) const;

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
  void launch(std::size_t host, std::size_t begin, std::size_t end);
  void begin_wait(std::size_t host);

  bool is_waiting(const State& state, std::size_t host) const;
  std::uint64_t epoch(const State& state, std::size_t host) const;
  record::Thread thread(const State& state, std::size_t host) const;
  void set_wait(record::Thread& thread, const State& state, std::size_t host) const;
  void add_streams(record::Snapshot& box, const State& state, std::size_t rank) const;
  void add_communicators(record::Snapshot& box, const State& state, std::size_t rank) const;
  void add_operations(record::Snapshot& box, std::size_t rank) const;
  std::uint64_t position(std::size_t rank, std::size_t stream, std::size_t items) const;
  std::uint64_t position_of(const Called& one) const;
  std::uint32_t entry_of(std::size_t rank, int communicator) const;

  const Machine& machine_;
  std::vector<std::vector<Called>> rings_;    // by rank
  std::vector<std::uint64_t> launches_;       // by rank
  std::vector<std::vector<bool>> is_called_;  // by host and instruction
  std::vector<Waited> waits_;                 // by host
  std::int64_t time_ns_ = 1000;
};

}  // namespace gridlock::fuzz
