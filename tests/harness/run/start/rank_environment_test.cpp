// Which variables the ranks of a job get, besides those for sharing a GPU.
#include "harness/run/start/rank_environment.h"

#include <gtest/gtest.h>

#include "tests/harness/run/start/variables.h"

namespace gridlock::run {
namespace {

std::vector<std::string> environment(bool recorded, int index = 0) {
  const Boxes boxes(2);
  Job job;
  job.ranks = 2;
  job.recorded = recorded;
  job.master_port = 29500;
  return rank_environment(job, {.root = "/opt/gridlock"}, boxes, {}, index);
}

TEST(RankEnvironment, TellsARankWhoItIs) {
  const std::vector<std::string> variables = environment(true, 1);
  for (const char* variable : {"RANK=1", "LOCAL_RANK=1", "WORLD_SIZE=2", "LOCAL_WORLD_SIZE=2",
                               "MASTER_ADDR=127.0.0.1", "MASTER_PORT=29500"}) {
    EXPECT_TRUE(holds(variables, variable)) << variable;
  }
}

}  // namespace
}  // namespace gridlock::run
