// Variables, as torchrun names them.
#include "harness/run/rank_environment.h"

#include <fmt/format.h>

#include <cstdlib>

namespace gridlock::run {
namespace {

// `value` in front of what the variable holds already.
std::string in_front(const char* name, const std::string& value, char separator) {
  const char* old = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody writes it
  const bool is_set = old != nullptr && *old != '\0';
  return is_set ? fmt::format("{}={}{}{}", name, value, separator, old)
                : fmt::format("{}={}", name, value);
}

}  // namespace

std::vector<std::string> rank_environment(const Job& job, const Installation& installation,
                                          const Boxes& boxes, int port, int rank) {
  const std::string recorder = installation.recorder().string();
  std::vector<std::string> environment{in_front("LD_PRELOAD", recorder, ':'),
                                       "NVTX_INJECTION64_PATH=" + recorder,
                                       "GRIDLOCK_BOXES=" + boxes.address()};
  if (rank >= 0) {
    environment.push_back(fmt::format("RANK={}", rank));
    environment.push_back(fmt::format("LOCAL_RANK={}", rank));
    environment.push_back(fmt::format("WORLD_SIZE={}", job.ranks));
    environment.push_back(fmt::format("LOCAL_WORLD_SIZE={}", job.ranks));
    environment.emplace_back("MASTER_ADDR=127.0.0.1");
    environment.push_back(fmt::format("MASTER_PORT={}", port));
  }
  environment.insert(environment.end(), job.environment.begin(), job.environment.end());
  return environment;
}

}  // namespace gridlock::run
