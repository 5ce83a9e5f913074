// The time that a thread has had a core is the first number in its schedstat.
#include "harness/run/look/kernel/busy_waits.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

namespace gridlock::run {
namespace {

constexpr std::size_t kMostThreads = 100'000;

std::optional<std::int64_t> ran_ns(std::int64_t pid, std::int64_t tid) {
  const std::string text = proc_text(fmt::format("/proc/{}/task/{}/schedstat", pid, tid));
  if (text.empty()) return {};
  return std::strtoll(text.c_str(), nullptr, 10);
}

// How often the process's threads have touched a page that was not there: who compiles a kernel may
// have threads do it.
std::uint64_t page_faults(std::int64_t pid) {
  const std::string stat = proc_text(fmt::format("/proc/{}/stat", pid));
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 7; ++i) fields >> skipped;  // state, …, flags
  std::uint64_t minor = 0;
  std::uint64_t major = 0;
  fields >> minor >> skipped >> major;
  return minor + major;
}

// At the start and at the end of MPI its ranks meet at the launcher.
bool meets_at_launcher(std::int64_t pid, record::Call in, const SystemCall& call) {
  if (in != record::Call::mpi_init && in != record::Call::mpi_finalize) return false;
  return call.number == SYS_read && call.arguments[0] == connection_to_launcher(pid);
}

}  // namespace

bool BusyWaits::waits(std::int64_t pid, const record::Thread& thread, const ThreadStatus& status) {
  // Threads come and go. What is forgotten is soon seen again.
  if (waits_.size() > kMostThreads) waits_.clear();
  if (status.state == 'S' && record::is_mpi(thread.call)) {
    const SystemCall call = system_call(pid, thread.tid);
    if (!call.sleeps) return false;
    if (call.number != SYS_futex && !meets_at_launcher(pid, thread.call, call)) return false;
  }
  Wait& wait = waits_[thread.tid];
  const bool is_new = wait.epoch != thread.epoch || wait.since_ns != thread.since_ns;
  Wait now{.epoch = thread.epoch, .since_ns = thread.since_ns, .blocked = status.blocked};
  if (thread.is_launching()) {
    now.faults = page_faults(pid);
    const bool works = status.state == 'D' || (!is_new && now.faults != wait.faults);
    if (works) {
      now.ran_ns = ran_ns(pid, thread.tid).value_or(0);
      wait = now;
      return false;
    }
  }
  if (status.state == 'S') {
    now.has_slept = true;
    wait = now;
    return true;
  }
  const bool has_slept = !is_new && wait.has_slept;
  // One that is stopped, or waits for a disk, shows nothing.
  const bool is_stopped = status.state == 'T' || status.state == 't';
  if (is_stopped) return has_slept && status.blocked == wait.blocked;
  if (status.state != 'R') return false;
  const std::optional<std::int64_t> ran = ran_ns(pid, thread.tid);
  if (!ran) return false;
  if (is_new) wait = now;
  // Who has woken may have been told of an error, and be about to leave the wait.
  if (is_new || has_slept) wait.ran_ns = *ran;
  wait.has_slept = false;
  if (status.blocked != wait.blocked) return false;
  const bool has_spun = *ran - wait.ran_ns > kSpinBound.count();
  spins_ = spins_ || !has_spun;
  return has_spun;
}

}  // namespace gridlock::run
