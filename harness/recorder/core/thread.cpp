// Thread entries: got at a thread's first recorded call, given back at its end.
#include "harness/recorder/core/thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams.h"

namespace gridlock::recorder {
namespace {

thread_local constinit ThreadState t_thread;
std::atomic<bool> g_used[record::kThreads];

std::uint32_t& lost_threads() { return writer().box().header.lost_threads; }

// It has ended, or has an entry after all.
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
  retire_queue(thread->mpi_queue);
  retire_default_streams();
  thread->mpi_queue = record::kNone;
  record::ThreadEntry ended;
  ended.since_ns = now_ns();
  writer().put(index, ended);
  g_used[index].store(false, std::memory_order_release);
}

// A key's destructor runs at a thread's end and, unlike a C++ destructor, needs no allocation.
pthread_key_t end_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, at_thread_end);
    return made;
  }();
  return key;
}

}  // namespace

ThreadState& this_thread() { return t_thread; }

void add_thread(ThreadState& thread) {
  for (std::uint32_t i = 0; i < record::kThreads; ++i) {
    bool used = false;
    if (!g_used[i].compare_exchange_strong(used, true, std::memory_order_acq_rel)) continue;
    thread.stack = stack_bounds();
    thread.tid = syscall(SYS_gettid);
    record::ThreadEntry entry;
    entry.tid = thread.tid;
    entry.since_ns = now_ns();
    writer().put(i, entry);
    thread.index = i;
    pthread_setspecific(end_key(), &thread);
    found(thread);
    return;
  }
  if (thread.lost) return;
  thread.lost = true;
  __atomic_fetch_add(&lost_threads(), 1, __ATOMIC_RELAXED);
  pthread_setspecific(end_key(), &thread);
}

namespace {

// Waits for a device are where programs wait in the end: how soon a deadlock is found is counted
// from there, so their time is exact.
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
  if (thread.index != record::kNone) writer().end_wait(thread.index);
}

}  // namespace gridlock::recorder
