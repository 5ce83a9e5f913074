// How long the machine kept a job's threads from running, read from the kernel's scheduler.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "harness/record/snapshot.h"
#include "harness/run/limits.h"
#include "harness/run/silence.h"

namespace gridlock::run {

// Of each thread, since it began: how long it was ready to run while others had the cores. From
// /proc/<pid>/task/<tid>/schedstat; zero where the kernel does not say.
// By thread id, and above its 32 bits the agent whose the thread is.
using TimesInQueue = std::unordered_map<std::int64_t, Duration>;

// All threads of the living processes: the program's, and those of the libraries below it.
//   Blocks   no; three system calls a thread
TimesInQueue times_in_queue(std::span<const record::Snapshot> snapshots);

// What all threads together waited between the two. A thread that is younger than `before` counts
// from its beginning.
Duration time_waited(const TimesInQueue& before, const TimesInQueue& after);

// Measures one silence, with as few looks at the threads as its limit allows.
class SilenceMeter {
 public:
  // The silence that began at `since_ns`, now. Another `since_ns` than before is a new silence.
  // `times_now` looks at the threads.
  Silence measure(std::int64_t since_ns, std::int64_t now_ns, Duration limit,
                  const std::function<TimesInQueue()>& times_now);

 private:
  std::int64_t since_ns_ = -1;
  bool has_begun_ = false;
  TimesInQueue before_;
  Duration starved_{};
};

}  // namespace gridlock::run
