// Adds up /proc/<pid>/stat and /proc/<pid>/io.
#include "harness/run/look/beginning.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "harness/processes/process_tree.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

void add(Activity& all, pid_t pid) {
  const std::string stat = proc_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return;  // it has just ended
  // State, ppid, pgrp, session, tty, tpgid, flags; minor faults, children's minor faults, major
  // faults, children's major faults; user time, system time.
  std::istringstream fields(stat.substr(name_end + 1));
  std::string word;
  std::uint64_t number[7] = {};
  for (int i = 0; i < 7; ++i) fields >> word;
  for (int i = 0; i < 6; ++i) fields >> number[i];
  const std::int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  all.pages += number[0] + number[2];
  all.on_core += Duration(static_cast<std::int64_t>(number[4] + number[5]) * tick_ns);
  const std::string io = proc_text(fmt::format("/proc/{}/io", pid));
  constexpr std::string_view kRead = "rchar: ";
  if (io.starts_with(kRead)) all.bytes_read += std::strtoull(&io[kRead.size()], nullptr, 10);
}

}  // namespace

Activity activity_of_job() {
  Activity all;
  for (const pid_t pid : processes::descendants(getpid())) add(all, pid);
  return all;
}

bool is_lively(const Activity& before, const Activity& now, Duration between) {
  // A polling loop takes at most a hundredth of a core, and maps and reads little.
  constexpr int kShare = 50;
  constexpr std::uint64_t kPages = 64;
  constexpr std::uint64_t kBytes = 64 << 10;
  // If processes end, the sums shrink; that also is a sign of life.
  if (now.on_core < before.on_core || now.bytes_read < before.bytes_read) return true;
  return (now.on_core - before.on_core) * kShare > between || now.pages - before.pages > kPages ||
         now.bytes_read - before.bytes_read > kBytes;
}

bool has_not_begun(const record::Snapshot& snapshot) {
  return snapshot.process == record::ProcessState::alive && snapshot.claim == 0;
}

void Beginnings::look(std::span<const record::Snapshot> snapshots, std::int64_t now_ns,
                      Duration every) {
  if (now_ns - before_ns_ < every.count() || !std::ranges::any_of(snapshots, has_not_begun)) return;
  const Activity now = activity_of_job();
  if (before_ns_ == 0 || is_lively(before_, now, Duration(now_ns - before_ns_))) {
    last_lively_ns_ = now_ns;
  }
  before_ = now;
  before_ns_ = now_ns;
}

}  // namespace gridlock::run
