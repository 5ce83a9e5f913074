// Compares the host names that ranks have put into their boxes.
#include "harness/detect/graph/actors/places.h"

#include <algorithm>
#include <string>

namespace gridlock::detect {

Places::Places(std::span<const record::Snapshot> snapshots) {
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
  std::unordered_map<std::string, std::int32_t> places;
  for (const auto& [agent, host] : hosts) {
    const auto next = static_cast<std::int32_t>(places.size());
    place_[agent] = places.try_emplace(all_known ? host : "", next).first->second;
  }
}

std::int32_t Places::of(std::uint64_t agent) const {
  const auto found = place_.find(agent);
  return found == place_.end() ? 0 : found->second;
}

}  // namespace gridlock::detect
