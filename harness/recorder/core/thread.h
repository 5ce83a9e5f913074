// What the recorder knows of the calling thread, and its entry in the box: the waiting call it is
// in.
#pragma once

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/callers.h"
#include "harness/recorder/core/labels.h"

namespace gridlock::recorder {

struct ThreadState {
  std::uint32_t index = record::kNone;  // in the box
  bool lost = false;                    // it found no room there, and is counted as lost
  int depth = 0;                        // calls of the vendor's that we are inside of
  StackBounds stack;
  std::int64_t tid = 0;
  std::uint32_t mpi_queue = record::kNone;  // of its calls of MPI, in the table of streams
  std::int64_t last_operation_ns = 0;
  Labels labels;
};

// Of the calling thread.
ThreadState& this_thread();

// Enters the thread into the box, the first time. Its end frees the entry.
[[gnu::noinline, gnu::cold]] void add_thread(ThreadState& thread);
inline void register_thread(ThreadState& thread) {
  if (thread.index == record::kNone) [[unlikely]]
    add_thread(thread);
}

// While one lives, the calls that the vendor's library makes to itself are not recorded.
class Inside {
 public:
  explicit Inside(ThreadState& thread) : thread_(thread) { ++thread_.depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { --thread_.depth; }

 private:
  ThreadState& thread_;
};

// What a thread is about to wait for.
struct Wait {
  record::Call call = record::Call::none;
  record::Waits waits = record::Waits::nothing;
  std::uint32_t device = 0;
  std::uint32_t stream = record::kNone;
  std::uint64_t position = 0;
  std::uint32_t communicator = record::kNone;
  std::uint64_t requests[record::kRequests / 64] = {};
};

// Shows the wait in the box until it is over. `frame` as for walk_callers.
void enter_wait(ThreadState& thread, const Wait& wait, const void* frame);
void leave_wait(ThreadState& thread);

}  // namespace gridlock::recorder
