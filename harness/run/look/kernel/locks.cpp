// By the numbers of threads that the kernel and the C library show.
#include "harness/run/look/kernel/locks.h"

#include <algorithm>
#include <vector>

#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

// Whether a library's thread, or one in a recorded wait, is not asleep. Such a thread sometimes
// holds a lock of the C library, and may lose its core while it does.
bool library_runs(const record::Snapshot& snapshot) {
  const auto runs = [](char state) { return state != 'S' && state != '\0'; };
  return std::any_of(snapshot.threads.begin(), snapshot.threads.end(),
                     [&](const record::Thread& thread) {
                       return thread.waits != record::Waits::nothing && runs(thread.state);
                     }) ||
         std::any_of(snapshot.library_threads.begin(), snapshot.library_threads.end(),
                     [&](std::int64_t tid) { return runs(thread_stat(snapshot.pid, tid).state); });
}

}  // namespace

void tell_locks(record::Snapshot& snapshot) {
  std::vector<record::Sleep*> locks;
  for (record::Thread& thread : snapshot.threads) {
    if (thread.sleep.may_be_brief) locks.push_back(&thread.sleep);
  }
  for (record::Sleeper& sleeper : snapshot.others) {
    if (sleeper.sleep.may_be_brief) locks.push_back(&sleeper.sleep);
  }
  if (locks.empty() || library_runs(snapshot)) return;
  for (record::Sleep* sleep : locks) sleep->may_be_brief = false;
}

void tell_nappers(record::Snapshot& snapshot, const std::unordered_set<std::int64_t>& nappers) {
  std::unordered_set<std::int64_t> waiting;  // for Python's lock
  for (const record::Thread& thread : snapshot.threads) {
    if (thread.sleep.on == record::kPythonsLock) waiting.insert(thread.tid);
  }
  for (const record::Sleeper& sleeper : snapshot.others) {
    if (sleeper.sleep.on == record::kPythonsLock) waiting.insert(sleeper.tid);
  }
  const auto tell = [&](record::Sleep& sleep) {
    // Who waits for it holds it by a state that it has made for another thread.
    const bool by_any =
        sleep.on == record::kPythonsLock && (sleep.held_by == 0 || waiting.contains(sleep.held_by));
    sleep.for_napper = nappers.contains(sleep.joins) || nappers.contains(sleep.held_by) ||
                       (by_any && !nappers.empty());
  };
  for (record::Thread& thread : snapshot.threads) {
    tell(thread.sleep);
    tell(thread.in_launch);
  }
  for (record::Sleeper& sleeper : snapshot.others) tell(sleeper.sleep);
}

}  // namespace gridlock::run
