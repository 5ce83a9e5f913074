// Recognises them by /proc/<pid>/exe and /proc/<pid>/environ.
#include "harness/run/look/kernel/programs/daemons.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/processes/process_tree.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
pid_t daemon_of(const std::string& command, int local_rank) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::canonical(command, error);
  if (error) return 0;
  for (const pid_t pid : processes::descendants(getpid())) {
    const auto running = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error);
    if (!error && running == program && has_variable(pid, fmt::format("LOCAL_RANK={}", local_rank)))
      return pid;
  }
  return 0;
}

pid_t living_with(int local_rank) {
  std::vector<std::string> wanted;
  for (const std::string_view name : kLocalRanks) {
    // What this agent was started with, all processes below it have too.
    if (std::getenv(name.data()) == nullptr)
      wanted.push_back(fmt::format("{}={}", name, local_rank));
  }
  for (const pid_t pid : processes::descendants(getpid())) {
    const auto has = [=](const std::string& variable) { return has_variable(pid, variable); };
    if (std::ranges::any_of(wanted, has)) return pid;
  }
  return 0;
}

}  // namespace gridlock::run
