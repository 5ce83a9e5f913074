// Recognises them by /proc/<pid>/exe and /proc/<pid>/environ.
#include "harness/run/look/kernel/programs/daemons.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

bool has_entry(pid_t pid, const std::string& wanted) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid));
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // Each entry ends with a zero.
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) {
    if (all.compare(at, all.find('\0', at) - at, wanted) == 0) return true;
    if (all.find('\0', at) == std::string::npos) break;
  }
  return false;
}

}  // namespace

pid_t daemon_of(const std::string& command, int local_rank) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::canonical(command, error);
  if (error) return 0;
  for (const pid_t pid : processes::descendants(getpid())) {
    const auto running = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error);
    if (!error && running == program && has_entry(pid, fmt::format("LOCAL_RANK={}", local_rank)))
      return pid;
  }
  return 0;
}

pid_t living_with(int local_rank) {
  for (const pid_t pid : processes::descendants(getpid())) {
    // Slurm's would be in all processes below an agent that Slurm has started.
    for (const char* name : {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}) {
      if (has_entry(pid, fmt::format("{}={}", name, local_rank))) return pid;
    }
  }
  return 0;
}

}  // namespace gridlock::run
