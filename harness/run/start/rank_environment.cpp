// Sets variables with torchrun's names.
#include "harness/run/start/rank_environment.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/run/start/simulated_hosts.h"

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

Place place_of(const Job& job, int index) {
  if (job.simulated_hosts == 1 || index < 0) return {.host = -1, .share = own_share(job)};
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(job.simulated_hosts));
  for (int host = 0; host < job.simulated_hosts; ++host) {
    names.push_back(SimulatedHosts::name(host));
  }
  const std::vector<Share> shares = divide(job.ranks, {}, names);
  int host = 0;
  while (shares[static_cast<std::size_t>(host)].end() <= index) ++host;
  return {.host = host, .share = shares[static_cast<std::size_t>(host)]};
}

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
  const Place place = place_of(job, index);
  std::vector<std::string> environment;
  if (job.recorded) {
    environment = {in_front("LD_PRELOAD", recorder, ':'), "NVTX_INJECTION64_PATH=" + recorder,
                   "GRIDLOCK_BOXES=" + boxes.address(place.host < 0 ? 0 : place.share.first)};
  }
  if (index >= 0) {
    const Share own = own_share(job);
    const int rank = own.first + index;
    environment.push_back(fmt::format("RANK={}", rank));
    environment.push_back(
        fmt::format("LOCAL_RANK={}", place.share.first_local + rank - place.share.first));
    environment.push_back(fmt::format("WORLD_SIZE={}", job.ranks));
    environment.push_back(fmt::format("LOCAL_WORLD_SIZE={}", place.share.local_ranks));
    environment.push_back("MASTER_ADDR=" +
                          (place.host < 0 ? job.master_address : SimulatedHosts::address(0)));
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
  std::vector<std::string> given = job.environment;
  if (place.host >= 0) {
    // The interface that is right for a single host does not lead to another.
    std::erase_if(
        given, [](const std::string& entry) { return entry.starts_with("NCCL_SOCKET_IFNAME="); });
    // The devices have the same numbers on each host, and shared memory is that of one machine.
    environment.push_back(fmt::format("NCCL_HOSTID={}", SimulatedHosts::name(place.host)));
    environment.push_back(fmt::format("NCCL_SOCKET_IFNAME={}", SimulatedHosts::link()));
    environment.push_back(fmt::format("GRIDLOCK_SIM_LINK={}", SimulatedHosts::link()));
  }
  environment.insert(environment.end(), given.begin(), given.end());
  return environment;
}

}  // namespace gridlock::run
