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

  // What `rank` has started.
  const std::vector<record::ProcessKey>& below(pid_t rank) const;
  bool is_below_rank(pid_t process) const { return below_ranks_.contains(process); }
  // Those that have no rank and no launcher above them: who started them has ended, and may have
  // been a rank's.
  const std::vector<record::ProcessKey>& orphans() const { return orphans_; }
  // A launcher of several ranks is above all of them.
  bool is_above_one_rank(pid_t process) const {
    const auto found = ranks_below_.find(process);
    return found != ranks_below_.end() && found->second == 1;
  }

 private:
  static constexpr pid_t kNobody = 0;

  std::unordered_map<pid_t, std::vector<record::ProcessKey>> below_;  // by rank, or kNobody
  std::unordered_set<pid_t> below_ranks_;
  std::vector<record::ProcessKey> orphans_;
  std::unordered_map<pid_t, int> ranks_below_;
};

}  // namespace gridlock::run
