// The tables of variables.
#include "harness/run/start/gpu_environment.h"

#include <fmt/format.h>

namespace gridlock::run {

std::vector<std::string> gpu_environment(const GpuSet& gpus, int ranks, int rank,
                                         const std::string& job, int ras_port) {
  // Number GPUs as the driver's tools do, and not the fastest first, so that a rank's GPU can be
  // named.
  const std::string order = "CUDA_DEVICE_ORDER=PCI_BUS_ID";
  if (!is_shared(gpus, ranks)) return {order};
  std::vector<std::string> variables{
      order,
      fmt::format("NCCL_HOSTID=gridlock-{}-{}", job, rank),
      "NCCL_NET=Socket",
      "NCCL_NET_PLUGIN=none",
      "NCCL_SOCKET_IFNAME=lo",
      "NCCL_MNNVL_ENABLE=0",
      "NCCL_RUNTIME_CONNECT=0",
      "NCCL_ALGO=Ring",
      "NCCL_PROTO=Simple",
      "NCCL_MAX_CTAS=1",
      fmt::format("NCCL_RAS_ADDR=127.0.0.1:{}", ras_port),
  };
  if (!gpus.one_host) std::erase(variables, "NCCL_SOCKET_IFNAME=lo");
  constexpr int kOfficial = 23000;  // 2.30 has an official, if experimental, switch
  if (gpus.nccl_version >= kOfficial) variables.emplace_back("NCCL_MULTI_RANK_GPU_ENABLE=1");
  return variables;
}

Merged merge_with_users(const std::vector<std::string>& variables,
                        const char* (*value_of)(const char* name)) {
  Merged merged;
  for (const std::string& variable : variables) {
    const std::string name = variable.substr(0, variable.find('='));
    const char* value = value_of(name.c_str());
    if (value == nullptr) {
      merged.added.push_back(variable);
    } else {
      merged.kept.push_back(fmt::format("{}={}", name, value));
    }
  }
  return merged;
}

}  // namespace gridlock::run
