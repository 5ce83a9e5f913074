// Which processes of a job belong together: a rank and all that it has started.
#pragma once

#include <sys/types.h>

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/record/sleep.h"
#include "harness/run/look/kernel/holders.h"

namespace gridlock::run {

class Kin {
 public:
  // `job`: all its processes on this host. `ranks`: those that are ranks. The cost grows with the
  // job's size.
  Kin(std::span<const JobProcess> job, const std::unordered_set<pid_t>& ranks);

  // Who is close enough to `process` to signal or kill it: its rank, and all that this rank has
  // started. A process that no living rank has started is close to all, and all are close to it.
  std::vector<record::ProcessKey> family_of(pid_t process) const;
  // What `rank` has started.
  const std::vector<record::ProcessKey>& below(pid_t rank) const;

 private:
  static constexpr pid_t kNobody = 0;

  std::unordered_map<pid_t, pid_t> rank_of_;  // by process: itself, or the nearest rank above
  std::unordered_map<pid_t, record::ProcessKey> keys_;                // of ranks
  std::unordered_map<pid_t, std::vector<record::ProcessKey>> below_;  // by rank, or kNobody
  std::vector<record::ProcessKey> all_;
};

}  // namespace gridlock::run
