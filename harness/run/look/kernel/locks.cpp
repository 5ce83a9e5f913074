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
  const auto tell = [&](record::Sleep& sleep) {
    sleep.for_napper = nappers.contains(sleep.joins) || nappers.contains(sleep.held_by) ||
                       (sleep.held_by_any && !nappers.empty());
  };
  for (record::Thread& thread : snapshot.threads) tell(thread.sleep);
  for (record::Sleeper& sleeper : snapshot.others) tell(sleeper.sleep);
}

}  // namespace gridlock::run
