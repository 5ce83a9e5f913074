// Assigns GPUs to ranks. GPUs are identified by their UUIDs.
#include "harness/run/start/gpu_share.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace gridlock::run {

catalogue::Gpus together(std::span<const catalogue::Gpus> agents) {
  catalogue::Gpus all;
  std::set<std::string> known;
  for (const catalogue::Gpus& gpus : agents) {
    if (all.name.empty()) all.name = gpus.name;
    if (all.driver.empty()) all.driver = gpus.driver;
    if (all.cuda == 0) all.cuda = gpus.cuda;
    if (all.fault.empty()) all.fault = gpus.fault;
    all.is_broken |= gpus.is_broken;
    for (const catalogue::Gpu& gpu : gpus.devices) {
      if (known.insert(gpu.uuid).second) all.devices.push_back(gpu);
    }
  }
  all.count = static_cast<int>(all.devices.size());
  return all;
}

const catalogue::Gpu* gpu_of(int rank, const Share& share, const catalogue::Gpus& agent) {
  if (agent.devices.empty()) return nullptr;
  const int local_rank = share.first_local + rank - share.first;
  return &agent.devices[static_cast<std::size_t>(local_rank) % agent.devices.size()];
}

std::vector<int> split_by_gpus(int ranks, std::span<const catalogue::Gpus> agents) {
  // A GPU that several agents see goes to the one that has fewest.
  std::map<std::string, std::vector<std::size_t>> seen_by;
  for (std::size_t agent = 0; agent < agents.size(); ++agent) {
    for (const catalogue::Gpu& gpu : agents[agent].devices) seen_by[gpu.uuid].push_back(agent);
  }
  std::vector<int> capacity(agents.size());
  for (const auto& [uuid, agents_of_it] : seen_by) {
    ++capacity[*std::min_element(
        agents_of_it.begin(), agents_of_it.end(),
        [&](std::size_t one, std::size_t other) { return capacity[one] < capacity[other]; })];
  }
  if (std::accumulate(capacity.begin(), capacity.end(), 0) < ranks) return {};
  std::vector<int> split(agents.size());
  for (int left = ranks; left > 0;) {
    for (std::size_t agent = 0; agent < split.size() && left > 0; ++agent) {
      if (split[agent] == capacity[agent]) continue;
      ++split[agent];
      --left;
    }
  }
  return split;
}

bool meet_on_a_gpu(std::span<const Share> shares, std::span<const catalogue::Gpus> agents) {
  std::set<std::string> taken;
  for (std::size_t agent = 0; agent < shares.size(); ++agent) {
    const Share& share = shares[agent];
    for (int rank = share.first; rank < share.end(); ++rank) {
      const catalogue::Gpu* gpu = gpu_of(rank, share, agents[agent]);
      if (gpu == nullptr || !taken.insert(gpu->uuid).second) return true;
    }
  }
  return false;
}

}  // namespace gridlock::run
