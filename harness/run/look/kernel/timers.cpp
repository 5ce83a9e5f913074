// Reads lines such as
//     ID: 0
//     signal: 14/00000012a05f2000
//     notify: none/pid.4711
//     ClockID: 1
#include "harness/run/look/kernel/timers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include "harness/record/alarm.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

// An alarm that has rung sets its signal at once; after this time it has done so.
constexpr std::uint64_t kSpent = 10'000'000;  // ns

std::string time_namespace(std::int64_t pid) {
  std::error_code none;  // older kernels have no such namespaces
  return std::filesystem::read_symlink(fmt::format("/proc/{}/ns/time", pid), none);
}

}  // namespace

std::uint64_t monotonic_now(std::int64_t pid) {
  if (time_namespace(pid) != time_namespace(getpid())) return 0;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool may_ring(std::string_view timers, std::uint64_t now) {
  std::istringstream lines{std::string(timers)};
  int signal = 0;
  std::uint64_t last_ring = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t slash = line.find('/');
    if (line.starts_with("signal: ") && slash != std::string::npos) {
      signal = std::atoi(line.c_str() + sizeof "signal:");
      last_ring = std::strtoull(line.c_str() + slash + 1, nullptr, 16);
    }
    if (!line.starts_with("notify: ")) continue;
    const bool is_alarm = line.starts_with("notify: none") && signal == SIGALRM;
    if (!is_alarm || last_ring == record::kRingsAgain || last_ring + kSpent > now) return true;
  }
  return false;
}

std::optional<bool> may_ring(std::int64_t pid) {
  const std::string timers = proc_text(fmt::format("/proc/{}/timers", pid));
  if (timers.empty() && errno != 0) {
    const bool is_gone = means_gone(errno) && proc_text(fmt::format("/proc/{}/stat", pid)).empty();
    return is_gone ? std::optional(false) : std::nullopt;
  }
  return !timers.empty() && may_ring(timers, monotonic_now(pid));
}

}  // namespace gridlock::run
