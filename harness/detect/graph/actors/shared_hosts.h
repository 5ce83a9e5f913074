// Which agents share a host: each lists only the processes that it has started.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "harness/record/snapshot.h"

namespace gridlock::detect {

class SharedHosts {
 public:
  SharedHosts() = default;
  // By the host names in the ranks' boxes. As long as no rank of some agent has told one, that
  // agent may be anywhere, and all count as on one host.
  explicit SharedHosts(std::span<const record::Snapshot> snapshots);

  // The same number for all agents (record::host_of) of one host.
  std::int32_t of(std::uint64_t agent) const;

 private:
  std::unordered_map<std::uint64_t, std::int32_t> number_;
};

}  // namespace gridlock::detect
