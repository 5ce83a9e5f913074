// Which processes of a job a rank has started.
#pragma once

#include <sys/types.h>

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/record/sleep.h"
#include "harness/run/look/kernel/descriptors/holders.h"

namespace gridlock::run {

class Kin {
 public:
  // `job`: all its processes on this host. `ranks`: those that are ranks. The cost grows with the
  // job's size.
  Kin(std::span<const JobProcess> job, const std::unordered_set<pid_t>& ranks);

  // What `rank` has started, or may have: an orphan has neither a rank nor a launcher above it, so
  // who started it has ended, and may have been below the rank.
  const std::vector<record::ProcessKey>& started_by(pid_t rank) const;
  // Whether some rank has started it, or may have.
  bool is_of_rank(pid_t process) const { return of_ranks_.contains(process); }
  bool is_above_ranks(pid_t process) const { return ranks_below_.contains(process); }
  // A launcher of several ranks is above all of them.
  bool is_above_one_rank(pid_t process) const {
    const auto found = ranks_below_.find(process);
    return found != ranks_below_.end() && found->second == 1;
  }

 private:
  std::unordered_map<pid_t, std::vector<record::ProcessKey>> started_by_;  // by rank
  std::unordered_set<pid_t> of_ranks_;
  std::unordered_map<pid_t, int> ranks_below_;
};

}  // namespace gridlock::run
