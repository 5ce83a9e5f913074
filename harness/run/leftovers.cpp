// Names processes by what the kernel calls them.
#include "harness/run/leftovers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "harness/base/limits.h"
#include "harness/base/text.h"
#include "harness/processes/process_tree.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

std::string leftovers() {
  const auto end = std::chrono::steady_clock::now() + kLeftoverBound;
  std::vector<pid_t> left = processes::descendants(getpid());
  while (!left.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPollInterval);
    left = processes::descendants(getpid());
  }
  std::vector<std::string> names;
  names.reserve(left.size());
  for (const pid_t pid : left) {
    names.push_back(fmt::format("{} ({})", pid, proc_text(fmt::format("/proc/{}/comm", pid))));
  }
  return join_text(names, ", ");
}

}  // namespace gridlock::run
