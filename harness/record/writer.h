// Writes one black box; only the recorder uses it. No allocation, no lock, no system call: every
// function is a few stores, and the box is valid between any two of them.
//
// Thread safety: a table entry must have one writer at a time, and one thread at a time may add
// operations. The caller ensures both.
#pragma once

#include <cstdint>

#include "harness/record/format.h"

namespace gridlock::record {

class Writer {
 public:
  // REQUIRES: `box` is mapped for as long as the writer is used.
  explicit constexpr Writer(Box* box) : box_(box) {}

  // Claims the box for process `pid`, unless a process other than `stale_pid` owns it. Clears an
  // earlier owner's content. Returns whether the claim succeeded.
  bool claim(std::int64_t pid, std::int64_t stale_pid);
  // Completes the claim: from now on readers see the box. Ignores the header fields for tables and
  // counts.
  void publish(const Header& header);

  void say_mpi(const Text<64>& which);

  // Tables. `entry.sequence` is ignored. Grows the table to hold `index`.
  void put(std::uint32_t index, const ThreadEntry& entry);
  void end_wait(std::uint32_t index);  // the thread is in no call
  // The same for a call that launches. No epoch passes, so this is no progress.
  struct Launching {
    Call call = Call::none;
    std::uint32_t device = 0;
    std::int64_t time_ns = 0;  // now
  };
  void begin_launch(std::uint32_t index, const Launching& launching);
  void end_launch(std::uint32_t index);
  // What pack_asked() says has not ended; a time of 0: it has.
  void note_asked(std::uint32_t index, std::uint64_t asked, std::int64_t time_ns);
  // Of a thread that shows only while it launches: its number, or 0.
  void show_thread(std::uint32_t index, std::int64_t tid);
  void put(std::uint32_t index, const CommunicatorEntry& entry);  // failure … stay
  void put(std::uint32_t index, const StreamEntry& entry);        // enqueued, last… stay
  void put(std::uint32_t index, const ModuleEntry& entry);
  // Adds a pair without messages; frees a pair whose communicator is gone. No key is used twice.
  void put_pair(std::uint32_t index, std::uint64_t key);
  void free_pair(std::uint32_t index);
  void set_messages(std::uint32_t index, std::uint64_t count);
  void count_message(std::uint32_t index);  // one more was launched

  // Adds an operation and returns its index. `entry.sequence` and `entry.previous` are ignored.
  // `chained`: adds it to its stream's chain, along which the reader finds what is in flight.
  std::uint64_t add(OperationEntry& entry, bool chained);
  // Takes the number of a new launch.
  std::uint64_t next_launch();
  // These change an operation that is still in the ring; otherwise they do nothing. `launched` is a
  // number or kDeferred.
  struct Launch {
    std::uint64_t called = 0;
    std::uint64_t slot = 0;
    std::uint64_t position = 0;
    std::uint64_t launched = 0;
  };
  void launch(std::uint64_t index, const Launch& launch);
  void set_result(std::uint64_t index, std::uint8_t result);
  OperationEntry operation(std::uint64_t index) const;
  // The operation in place; null if it is no longer in the ring.
  const OperationEntry* find(std::uint64_t index) const;

  Box& box() { return *box_; }

 private:
  Box* box_;
};

}  // namespace gridlock::record
