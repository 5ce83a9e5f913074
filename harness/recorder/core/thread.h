// What the recorder knows about the calling thread, and its entry in the box: the waiting call that
// it is in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/labels.h"
#include "harness/recorder/core/process/callers.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {

struct ThreadState {
  // The call of CUDA or NCCL that it is in, which puts work on streams that CUDA orders by itself:
  // for each device, on which sides, and which calls of all threads had begun on each side by then.
  struct Placing {
    struct Part {
      std::uint32_t device = 0;
      bool on[kOrderSides] = {};
      bool is_alone[kOrderSides] = {};  // no other thread was about to put work there
      std::uint64_t begun[kOrderSides] = {};
    };
    static constexpr std::uint32_t kMost = 8;  // devices; further ones are not known
    std::uint32_t parts = 0;
    Part part[kMost];
  };

  std::uint32_t index = record::kNone;  // in the box
  bool lost = false;                    // the box has no room for it, and counts it as lost
  bool is_nccls = false;                // NCCL started it, and it never runs the program's code
  bool only_in_calls = false;           // the box shows it only while it is in a call
  bool has_no_room = false;             // for that
  int depth = 0;                        // vendor calls that it is inside of
  const void* outermost = nullptr;      // on the stack, in the frame of the first of them
  bool waits = false;                   // the box shows a wait of it
  std::uint64_t asked = 0;              // what the box shows that it asked about; 0: nothing
  StackBounds stack;
  std::int64_t tid = 0;
  std::uint32_t mpi_queue = record::kNone;  // its MPI calls' entry in the table of streams
  std::int64_t last_operation_ns = 0;
  Placing placing;
  Labels labels;
};

// The calling thread's.
ThreadState& this_thread();

// In a forked child: the entry is the parent's, whose call the child may return from.
void forget_parents_thread();

// Adds the thread to the box. The thread's end frees the entry.
[[gnu::noinline, gnu::cold]] void add_thread(ThreadState& thread);
inline void register_thread(ThreadState& thread) {
  if (thread.index == record::kNone || thread.only_in_calls) [[unlikely]]
    add_thread(thread);
}
// The same for a thread that so far has launched kernels alone, or, if it is not the process's
// first one, has made calls about memory alone. They say too little about what the thread will do,
// so the box shows it only while it is in one.
[[gnu::noinline, gnu::cold]] void add_thread_in_calls(ThreadState& thread);
[[gnu::noinline, gnu::cold]] void add_thread_in_memory_calls(ThreadState& thread);
inline void register_for_memory(ThreadState& thread) {
  if (thread.index == record::kNone) [[unlikely]]
    add_thread_in_memory_calls(thread);
}

// Overwrites what calls have left on the stack below the caller's frame. A vendor's return address
// that came to lie in a later frame would look like a call that a sleeper is in (docs/actors.md).
// The stack may be a coroutine's, with somebody else's memory below it: so no more than any call of
// the C library may use.
[[gnu::noinline]] void clear_stack(std::size_t bytes);
constexpr std::size_t kSleepersFrames = 1024;  // of a sleeper below one that has called us

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

// Shows the wait in the box until leave_wait(). `frame` as for walk_callers.
void enter_wait(ThreadState& thread, const Wait& wait, const void* frame);
// Shows until leave_launch() that the thread is in a call that puts work on the device's streams.
// The first launch of a kernel loads it, or needs more memory, and then waits for all that is on
// them. Nearly every launch waits for nothing, so this is no progress and costs little.
void enter_launch(ThreadState& thread, record::Call call, std::uint32_t device,
                  std::int64_t time_ns);
void leave_launch(ThreadState& thread);
void leave_wait(ThreadState& thread);

// Shows that the thread has asked whether what `wait` says has ended, and that it has not. Only of
// a thread that is in the box for another reason: who only asks waits for nothing.
void note_asked(ThreadState& thread, const Wait& wait);
// What `wait` says has ended. A loop may ask about several things, so this says nothing about
// others.
void note_answered(ThreadState& thread, const Wait& wait);

// While one lives, calls that the vendor's library makes to itself are not recorded. An exception
// that passes through it ends the recorded wait too.
class Inside {
 public:
  explicit Inside(ThreadState& thread) : thread_(thread), outer_(thread.depth) {
    if (outer_ == 0) thread.outermost = this;
    thread.depth = outer_ + 1;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    thread_.depth = outer_;
    if (outer_ > 0) return;
    thread_.outermost = nullptr;
    if (thread_.waits) [[unlikely]]
      leave_wait(thread_);
  }

 private:
  ThreadState& thread_;
  int outer_;
};

// The calling thread is about to jump (longjmp) to a frame in which the stack pointer is `stack`.
// UINTPTR_MAX: nobody knows where, and it counts as above all. If that is above the recorder's, the
// thread leaves all calls and waits that it is in. Called by signals' handlers too.
void jump(std::uintptr_t stack);

}  // namespace gridlock::recorder
