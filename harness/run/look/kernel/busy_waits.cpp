// The time that a thread has had a core is the first number in its schedstat.
#include "harness/run/look/kernel/busy_waits.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

std::optional<std::int64_t> ran_ns(std::int64_t pid, std::int64_t tid) {
  const std::string text = proc_text(fmt::format("/proc/{}/task/{}/schedstat", pid, tid));
  if (text.empty()) return {};
  return std::strtoll(text.c_str(), nullptr, 10);
}

}  // namespace

void BusyWaits::look(record::Snapshot& snapshot) {
  for (record::Thread& thread : snapshot.threads) {
    if (thread.waits == record::Waits::nothing) continue;
    Wait& wait = waits_[thread.tid];
    const bool is_new = wait.epoch != thread.epoch;
    if (thread.state != 'R') {
      wait = {.epoch = thread.epoch, .has_slept = true};
    } else if (is_new || !wait.has_slept) {
      const std::optional<std::int64_t> ran = ran_ns(snapshot.pid, thread.tid);
      if (is_new && ran) wait = {.epoch = thread.epoch, .has_slept = false, .ran_ns = *ran};
      if (!ran || *ran - wait.ran_ns <= kSpinBound.count()) thread.waits = record::Waits::nothing;
    }
  }
}

}  // namespace gridlock::run
