// Compares the host names that ranks have put into their boxes.
#include "harness/detect/graph/actors/shared_hosts.h"

#include <algorithm>
#include <string>

namespace gridlock::detect {

SharedHosts::SharedHosts(std::span<const record::Snapshot> snapshots) {
  std::unordered_map<std::uint64_t, std::string> hosts;
  const auto note = [&](record::ProcessKey key, const std::string& host) {
    if (key == 0) return;
    std::string& known = hosts[record::host_of(key)];
    if (known.empty()) known = host;
  };
  for (const record::Snapshot& snapshot : snapshots) {
    note(snapshot.key, snapshot.host);
    for (const record::Sleeper& sleeper : snapshot.others) note(sleeper.process, snapshot.host);
  }
  const bool all_known =
      std::ranges::none_of(hosts, [](const auto& agent) { return agent.second.empty(); });
  std::unordered_map<std::string, std::int32_t> numbers;
  for (const auto& [agent, host] : hosts) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    number_[agent] = numbers.try_emplace(all_known ? host : "", next).first->second;
  }
}

std::int32_t SharedHosts::of(std::uint64_t agent) const {
  const auto found = number_.find(agent);
  return found == number_.end() ? 0 : found->second;
}

}  // namespace gridlock::detect
