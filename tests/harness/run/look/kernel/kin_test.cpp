// Who was started by which rank, in a job whose processes are given.
#include "harness/run/look/kernel/kin.h"

#include <gtest/gtest.h>

#include <set>

namespace gridlock::run {
namespace {

JobProcess process(pid_t pid, pid_t parent) {
  return {.pid = pid, .parent = parent, .key = record::process_key(0, pid)};
}

std::set<pid_t> pids(const std::vector<record::ProcessKey>& keys) {
  std::set<pid_t> found;
  for (const record::ProcessKey key : keys) found.insert(static_cast<pid_t>(key & 0xffffffffU));
  return found;
}
using Pids = std::set<pid_t>;

// A launcher (10) has started ranks 20 and 30. Rank 20 has a shell (21) with a helper (22), which
// comes first in the list. 40 lost its parent, and the agent (1) has adopted it.
const std::vector<JobProcess> kJob{process(22, 21), process(10, 1),  process(20, 10),
                                   process(30, 10), process(21, 20), process(40, 1)};
const std::unordered_set<pid_t> kRanks{20, 30};

TEST(Kin, ARankStartedWhatIsBelowItAndPerhapsTheOrphans) {
  std::vector<JobProcess> job = kJob;
  job.push_back(process(11, 10));  // the launcher's helper
  job.push_back(process(41, 40));
  const Kin kin(job, kRanks);
  EXPECT_EQ(pids(kin.started_by(20)), (Pids{21, 22, 40, 41}));
  EXPECT_EQ(pids(kin.started_by(30)), (Pids{40, 41}));
  for (const JobProcess& one : job) {
    EXPECT_EQ(kin.is_of_rank(one.pid), Pids({21, 22, 40, 41}).contains(one.pid)) << one.pid;
  }
}

TEST(Kin, AProcessOfOneRankMayHaveStartedIt) {
  const Kin kin({kJob}, {20, 30, 22});
  EXPECT_FALSE(kin.is_above_one_rank(10)) << "it is above three";
  EXPECT_TRUE(kin.is_above_one_rank(21));
  EXPECT_FALSE(kin.is_above_one_rank(40));
}

}  // namespace
}  // namespace gridlock::run
