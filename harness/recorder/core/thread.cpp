// Thread entries: taken at a thread's first recorded call, given back at its end.
#include "harness/recorder/core/thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/placing.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

thread_local constinit ThreadState t_thread;
// The thread of each entry, which the box does not always show; 0: it is free.
std::atomic<std::int64_t> g_owners[record::kThreads];
constexpr std::int64_t kBeingFreed = -1;

// The entry of a thread that has ended, and of NCCL's own threads outside recorded calls: there
// they act for the program only where the record shows why, as threads that never made a call.
record::ThreadEntry nobody() {
  record::ThreadEntry entry;
  entry.since_ns = now_ns();
  return entry;
}

std::uint32_t& lost_threads() { return writer().box().header.lost_threads; }

// The thread has ended, or has an entry after all: it is no longer lost.
void found(ThreadState& thread) {
  if (!thread.lost) return;
  thread.lost = false;
  __atomic_fetch_sub(&lost_threads(), 1, __ATOMIC_RELEASE);
}

void at_thread_end(void* state) {
  auto* thread = static_cast<ThreadState*>(state);
  const std::uint32_t index = thread->index;
  if (recording()) found(*thread);
  if (index == record::kNone || !recording()) return;
  thread->index = record::kNone;
  thread->only_in_calls = false;
  thread->asked = 0;
  retire_queue(thread->mpi_queue);
  retire_default_streams();
  thread->mpi_queue = record::kNone;
  writer().put(index, nobody());
  g_owners[index].store(0, std::memory_order_release);
}

// A key's destructor runs at a thread's end and, unlike a C++ destructor, needs no allocation.
// Whether at_thread_end() will run with `argument`. No: the process has no key left.
bool await_end(const void* argument) {
  static const std::optional<pthread_key_t> key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made{};
    if (pthread_key_create(&made, at_thread_end) != 0) return std::nullopt;
    return made;
  }();
  return key && pthread_setspecific(*key, argument) == 0;
}

}  // namespace

void clear_stack(std::size_t bytes) {
  void* below = __builtin_alloca(bytes);
  std::memset(below, 0, bytes);
  asm volatile("" : : "r"(below) : "memory");  // keeps the compiler from leaving it out
}

ThreadState& this_thread() { return t_thread; }

void forget_parents_thread() {
  PlacesWork::end(t_thread);
  t_thread.index = record::kNone;
  t_thread.only_in_calls = false;
  t_thread.mpi_queue = record::kNone;
  t_thread.lost = false;
  t_thread.waits = false;
  t_thread.asked = 0;
}

namespace {

bool has_ended(std::int64_t tid) {
  const int before = errno;
  const bool ended = syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
  errno = before;
  return ended;
}

// A thread may make a call after at_thread_end(), in a destructor of its last round.
void free_entries_of_ended() {
  for (std::uint32_t i = 0; i < record::kThreads; ++i) {
    std::int64_t tid = g_owners[i].load(std::memory_order_acquire);
    if (tid <= 0 || !has_ended(tid)) continue;
    // It may have given the entry back before it ended, and another thread may have it by now.
    if (!g_owners[i].compare_exchange_strong(tid, kBeingFreed, std::memory_order_acq_rel)) continue;
    writer().put(i, nobody());
    g_owners[i].store(0, std::memory_order_release);
  }
}

// Takes a free entry. False: there is none.
bool take_entry(ThreadState& thread) {
  const std::int64_t tid = syscall(SYS_gettid);
  for (std::uint32_t i = 0; i < record::kThreads; ++i) {
    std::int64_t free = 0;
    if (!g_owners[i].compare_exchange_strong(free, tid, std::memory_order_acq_rel)) continue;
    thread.stack = stack_bounds();
    thread.tid = tid;
    thread.index = i;
    await_end(&thread);
    return true;
  }
  return false;
}

}  // namespace

void add_thread(ThreadState& thread) {
  const auto takes_one = [&] {
    if (thread.only_in_calls || take_entry(thread)) return true;
    if (thread.lost) return false;
    free_entries_of_ended();
    return take_entry(thread);
  };
  if (takes_one()) {
    thread.only_in_calls = false;
    record::ThreadEntry entry = nobody();
    if (!thread.is_nccls) entry.tid = thread.tid;
    writer().put(thread.index, entry);
    found(thread);
    return;
  }
  if (thread.lost) return;
  thread.lost = true;
  __atomic_fetch_add(&lost_threads(), 1, __ATOMIC_RELAXED);
  await_end(&thread);
}

void add_thread_in_calls(ThreadState& thread) {
  if (thread.has_no_room) return;
  thread.only_in_calls = take_entry(thread);
  thread.has_no_room = !thread.only_in_calls;
  if (thread.only_in_calls) writer().put(thread.index, nobody());
}

void add_thread_in_memory_calls(ThreadState& thread) {
  if (syscall(SYS_gettid) == getpid()) return add_thread(thread);
  add_thread_in_calls(thread);
}

namespace {

// Most hung programs end up waiting for a device. The time to detect is measured from there, so
// these waits need exact times.
std::int64_t beginning_of(const Wait& wait, const ThreadState& thread) {
  if (wait.waits == record::Waits::device || wait.waits == record::Waits::legacy_stream) {
    return now_ns();
  }
  return std::max(coarse_now_ns(), thread.last_operation_ns);
}

}  // namespace

void enter_wait(ThreadState& thread, const Wait& wait, const void* frame) {
  if (thread.index == record::kNone) return;
  record::ThreadEntry entry;
  thread.waits = true;
  entry.tid = thread.tid;
  entry.call = wait.call;
  entry.waits = wait.waits;
  entry.device = wait.device;
  entry.stream = wait.stream;
  entry.position = wait.position;
  entry.communicator = wait.communicator;
  std::copy(std::begin(wait.requests), std::end(wait.requests), entry.requests);
  entry.launches = record::load_relaxed(writer().box().header.launches);
  entry.since_ns = beginning_of(wait, thread);
  entry.label = thread.labels.current();
  walk_callers(frame, thread.stack, entry.callers);
  writer().put(thread.index, entry);
}

void leave_wait(ThreadState& thread) {
  thread.waits = false;
  if (thread.index == record::kNone) return;
  if (thread.is_nccls || thread.only_in_calls) {
    writer().put(thread.index, nobody());
  } else {
    writer().end_wait(thread.index);
  }
}

namespace {

std::uint64_t asked_about(const Wait& wait) {
  const bool of_communicator = wait.waits == record::Waits::communicator_members;
  const std::uint32_t of = of_communicator ? wait.communicator : wait.stream;
  if (wait.waits == record::Waits::nothing || of == record::kNone) return 0;
  return record::pack_asked(wait.waits, of, wait.position);
}

}  // namespace

void note_asked(ThreadState& thread, const Wait& wait) {
  const std::uint64_t about = asked_about(wait);
  if (about == 0 || thread.index == record::kNone) return;
  if (thread.only_in_calls || thread.is_nccls) return;
  thread.asked = about;
  writer().note_asked(thread.index, about, coarse_now_ns());
}

void note_answered(ThreadState& thread, const Wait& wait) {
  constexpr std::uint64_t kWhat = ~record::kAskedPosition;
  if (thread.asked == 0 || ((thread.asked ^ asked_about(wait)) & kWhat) != 0) return;
  thread.asked = 0;
  writer().note_asked(thread.index, 0, 0);
}

void enter_launch(ThreadState& thread, record::Call call, std::uint32_t device,
                  std::int64_t time_ns) {
  if (thread.index == record::kNone) return;
  thread.waits = true;
  if (thread.only_in_calls) writer().show_thread(thread.index, thread.tid);
  writer().begin_launch(thread.index, {.call = call, .device = device, .time_ns = time_ns});
}

void leave_launch(ThreadState& thread) {
  thread.waits = false;
  if (thread.index == record::kNone) return;
  writer().end_launch(thread.index);
  if (thread.only_in_calls) writer().show_thread(thread.index, 0);
}

void jump(std::uintptr_t stack) {
  ThreadState& thread = t_thread;
  const auto outermost = reinterpret_cast<std::uintptr_t>(thread.outermost);
  if (outermost == 0 || stack < outermost) return;
  // A handler's own stack may lie above the thread's.
  const bool is_known = stack != UINTPTR_MAX;
  if (is_known && thread.stack.contains(outermost) && !thread.stack.contains(stack)) return;
  thread.outermost = nullptr;
  thread.depth = 0;
  PlacesWork::end(thread);
  if (thread.waits) leave_wait(thread);
}

}  // namespace gridlock::recorder
