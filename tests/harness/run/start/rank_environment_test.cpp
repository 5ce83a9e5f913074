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

// Rank 3 of five, on two hosts that have three and two.
TEST(RankEnvironment, TellsARankOnWhichSimulatedHostItIs) {
  const Boxes boxes(5);
  Job job;
  job.ranks = 5;
  job.simulated_hosts = 2;
  job.environment = {"NCCL_SOCKET_IFNAME=lo", "NCCL_IB_DISABLE=1"};
  const auto variables = rank_environment(job, {.root = "/opt/gridlock"}, boxes, {}, 3);
  for (const char* variable :
       {"RANK=3", "LOCAL_RANK=0", "WORLD_SIZE=5", "LOCAL_WORLD_SIZE=2", "MASTER_ADDR=10.77.0.1",
        "NCCL_HOSTID=node1", "NCCL_SOCKET_IFNAME=eth0", "NCCL_IB_DISABLE=1",
        "GRIDLOCK_SIM_LINK=eth0"}) {
    EXPECT_TRUE(holds(variables, variable)) << variable;
  }
  EXPECT_FALSE(holds(variables, "NCCL_SOCKET_IFNAME=lo"));
  EXPECT_TRUE(holds(variables, "GRIDLOCK_BOXES=" + boxes.address(3))) << "LOCAL_RANK counts from 0";
}

TEST(RankEnvironment, OneHostHasNoLinkToBreak) {
  for (const std::string& variable : environment(true)) {
    EXPECT_FALSE(variable.starts_with("GRIDLOCK_SIM_LINK")) << variable;
  }
}

}  // namespace
}  // namespace gridlock::run
