// Variables, as torchrun names them.
#include "harness/run/rank_environment.h"

#include <fmt/format.h>

#include <cstdlib>

namespace gridlock::run {
namespace {

// `value` in front of what the variable holds already.
std::string in_front(const char* name, const std::string& value, char separator) {
  const char* old = std::getenv(name);
  const bool is_set = old != nullptr && *old != '\0';
  return is_set ? fmt::format("{}={}{}{}", name, value, separator, old)
                : fmt::format("{}={}", name, value);
}

const char* value_of(const char* name) { return std::getenv(name); }

}  // namespace

int ports_needed(const Job& job) {
  const bool shares = job.gpus && !job.by_program && is_shared(*job.gpus, job.ranks);
  return shares ? 1 + job.ranks : 1;
}

std::vector<std::string> rank_environment(const Job& job, const Installation& installation,
                                          const Boxes& boxes, const std::vector<int>& ports,
                                          int rank) {
  const std::string recorder = installation.recorder().string();
  std::vector<std::string> environment;
  if (job.recorded) {
    environment = {in_front("LD_PRELOAD", recorder, ':'), "NVTX_INJECTION64_PATH=" + recorder,
                   "GRIDLOCK_BOXES=" + boxes.address()};
  }
  if (rank >= 0) {
    environment.push_back(fmt::format("RANK={}", rank));
    environment.push_back(fmt::format("LOCAL_RANK={}", rank));
    environment.push_back(fmt::format("WORLD_SIZE={}", job.ranks));
    environment.push_back(fmt::format("LOCAL_WORLD_SIZE={}", job.ranks));
    environment.emplace_back("MASTER_ADDR=127.0.0.1");
    environment.push_back(fmt::format("MASTER_PORT={}", ports.front()));
    if (job.gpus && ports.size() > 1) {
      const Merged merged = merge_with_users(
          gpu_environment(*job.gpus, job.ranks, rank, fmt::format("{}", ports.front()),
                          ports[static_cast<std::size_t>(rank) + 1]),
          value_of);
      environment.insert(environment.end(), merged.added.begin(), merged.added.end());
    }
  }
  environment.insert(environment.end(), job.environment.begin(), job.environment.end());
  return environment;
}

}  // namespace gridlock::run
