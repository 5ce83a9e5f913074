// Writes one black box. Only the recorder does. No allocation, no lock, no system call: every
// function is a handful of stores, and the box is valid between any two of them.
//
// Thread safety: an entry of a table has one writer at a time, and one thread at a time adds
// operations. The caller sees to both.
#pragma once

#include <cstdint>

#include "harness/record/format.h"

namespace gridlock::record {

class Writer {
 public:
  // REQUIRES: `box` is mapped for as long as the writer is used.
  explicit constexpr Writer(Box* box) : box_(box) {}

  // Claims the box for process `pid`, unless a process other than `stale_pid` owns it. Clears what
  // an earlier owner left. Returns whether the claim succeeded.
  bool claim(std::int64_t pid, std::int64_t stale_pid);
  // Completes the claim: from now on the box is read. Fields that tables and counts own are
  // ignored.
  void publish(const Header& header);

  void say_mpi(const Text<64>& which);

  // Tables. `entry.sequence` is ignored. Grows the table to hold `index`.
  void put(std::uint32_t index, const ThreadEntry& entry);
  void end_wait(std::uint32_t index);                             // of a thread: it is in no call
  void put(std::uint32_t index, const CommunicatorEntry& entry);  // failure … stay
  void put(std::uint32_t index, const StreamEntry& entry);        // enqueued, last… stay
  void put(std::uint32_t index, const ModuleEntry& entry);
  // A pair that has had no messages yet, and one whose communicator is gone. No key comes twice.
  void put_pair(std::uint32_t index, std::uint64_t key);
  void free_pair(std::uint32_t index);
  void set_messages(std::uint32_t index, std::uint64_t count);
  void count_message(std::uint32_t index);  // one more was launched

  // Adds an operation and returns its index. `entry.sequence` and `entry.previous` are ignored.
  // `chained`: it goes onto its stream's chain, on which the reader finds what is in flight.
  std::uint64_t add(OperationEntry& entry, bool chained);
  // The number of a launch that is under way.
  std::uint64_t next_launch();
  // Of an operation that is still in the ring; otherwise they do nothing. `launched` is a number
  // or kDeferred.
  struct Launch {
    std::uint64_t called = 0;
    std::uint64_t slot = 0;
    std::uint64_t position = 0;
    std::uint64_t launched = 0;
  };
  void launch(std::uint64_t index, const Launch& launch);
  void set_result(std::uint64_t index, std::uint8_t result);
  OperationEntry operation(std::uint64_t index) const;
  // The same in place; null when it is no longer in the ring.
  const OperationEntry* find(std::uint64_t index) const;

  Box& box() { return *box_; }

 private:
  Box* box_;
};

}  // namespace gridlock::record
