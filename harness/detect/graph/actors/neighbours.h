// Which agents share a host: each lists only the processes that it has started.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/record/sleep.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

class Neighbours {
 public:
  explicit Neighbours(std::span<const record::Snapshot> snapshots);

  // A key of each agent that may be on the host of `key`'s agent, and of that agent itself.
  const std::vector<record::ProcessKey>& of(record::ProcessKey key) const;

 private:
  // By agent (record::host_of). No rank of an agent has said where it is: it may be on any host.
  std::unordered_map<std::uint64_t, std::vector<record::ProcessKey>> beside_;
};

}  // namespace gridlock::detect
