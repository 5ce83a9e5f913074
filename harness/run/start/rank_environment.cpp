// Sets variables with torchrun's names.
#include "harness/run/start/rank_environment.h"

#include <fmt/format.h>

#include <cstdlib>

namespace gridlock::run {
namespace {

// `value`, followed by what the variable already holds.
std::string in_front(const char* name, const std::string& value, char separator) {
  const char* old = std::getenv(name);
  const bool is_set = old != nullptr && *old != '\0';
  return is_set ? fmt::format("{}={}{}{}", name, value, separator, old)
                : fmt::format("{}={}", name, value);
}

const char* value_of(const char* name) { return std::getenv(name); }

}  // namespace

int ports_needed(const Job& job) {
  const Share own = own_share(job);
  const bool shares = job.gpus && !job.by_program && is_shared(*job.gpus, own.local_ranks);
  return shares ? own.ranks : 0;
}

std::vector<std::string> rank_environment(const Job& job,
                                          const catalogue::Installation& installation,
                                          const Boxes& boxes, const std::vector<int>& ports,
                                          int index) {
  const std::string recorder = installation.recorder().string();
  std::vector<std::string> environment;
  if (job.recorded) {
    environment = {in_front("LD_PRELOAD", recorder, ':'), "NVTX_INJECTION64_PATH=" + recorder,
                   "GRIDLOCK_BOXES=" + boxes.address()};
  }
  if (index >= 0) {
    const Share own = own_share(job);
    const int rank = own.first + index;
    environment.push_back(fmt::format("RANK={}", rank));
    environment.push_back(fmt::format("LOCAL_RANK={}", own.first_local + index));
    environment.push_back(fmt::format("WORLD_SIZE={}", job.ranks));
    environment.push_back(fmt::format("LOCAL_WORLD_SIZE={}", own.local_ranks));
    environment.push_back("MASTER_ADDR=" + job.master_address);
    environment.push_back(fmt::format("MASTER_PORT={}", job.master_port));
    if (job.gpus) {
      // There are ports only if ranks share a GPU.
      const int port = ports.empty() ? 0 : ports[static_cast<std::size_t>(index)];
      const Merged merged =
          merge_with_users(gpu_environment(*job.gpus, own.local_ranks, rank,
                                           fmt::format("{}", job.master_port), port),
                           value_of);
      environment.insert(environment.end(), merged.added.begin(), merged.added.end());
    }
  }
  environment.insert(environment.end(), job.environment.begin(), job.environment.end());
  return environment;
}

}  // namespace gridlock::run
