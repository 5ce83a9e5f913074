// Compares the host names that ranks have put into their boxes.
#include "harness/detect/graph/actors/neighbours.h"

namespace gridlock::detect {

using record::ProcessKey;

Neighbours::Neighbours(std::span<const record::Snapshot> snapshots) {
  std::unordered_map<std::uint64_t, std::string> hosts;
  const auto note = [&](ProcessKey key, const std::string& host) {
    if (key == 0) return;
    std::string& known = hosts[record::host_of(key)];
    if (known.empty()) known = host;
  };
  for (const record::Snapshot& snapshot : snapshots) {
    note(snapshot.key, snapshot.host);
    for (const record::Sleeper& sleeper : snapshot.others) note(sleeper.process, snapshot.host);
  }
  std::unordered_map<std::string, std::vector<ProcessKey>> on_host;
  std::vector<ProcessKey> all;
  for (const auto& [agent, host] : hosts) {
    const ProcessKey key = record::process_key(static_cast<std::int32_t>(agent), 0);
    on_host[host].push_back(key);
    all.push_back(key);
  }
  const std::vector<ProcessKey>& anywhere = on_host[""];
  for (const auto& [agent, host] : hosts) {
    std::vector<ProcessKey>& beside = beside_[agent];
    beside = host.empty() ? all : on_host[host];
    if (!host.empty()) beside.insert(beside.end(), anywhere.begin(), anywhere.end());
  }
}

const std::vector<ProcessKey>& Neighbours::of(ProcessKey key) const {
  return beside_.at(record::host_of(key));
}

}  // namespace gridlock::detect
