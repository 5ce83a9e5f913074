// Which variables ranks on GPUs get, as tables.
#include "harness/run/start/gpu_environment.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "harness/base/port.h"
#include "tests/harness/run/start/variables.h"

namespace gridlock::run {
namespace {

const std::vector<std::string> kOrder{"CUDA_DEVICE_ORDER=PCI_BUS_ID"};

std::vector<std::string> environment(int gpus, int ranks, int rank, int nccl) {
  return gpu_environment({.count = gpus, .nccl_version = nccl}, ranks, rank, "job", 20000 + rank);
}

TEST(GpuEnvironment, OneGpuEachNeedsOnlyItsNumber) {
  for (const auto& [gpus, ranks] : {std::pair{1, 1}, {2, 2}, {8, 4}, {8, 8}}) {
    EXPECT_EQ(environment(gpus, ranks, 0, 22809), kOrder) << gpus << " " << ranks;
  }
}

TEST(GpuEnvironment, SharingTakesSocketsAndTheLeastOfEverything) {
  const std::vector<std::string> expected{"CUDA_DEVICE_ORDER=PCI_BUS_ID",
                                          "NCCL_HOSTID=gridlock-job-3",
                                          "NCCL_NET=Socket",
                                          "NCCL_NET_PLUGIN=none",
                                          "NCCL_SOCKET_IFNAME=lo",
                                          "NCCL_MNNVL_ENABLE=0",
                                          "NCCL_RUNTIME_CONNECT=0",
                                          "NCCL_ALGO=Ring",
                                          "NCCL_PROTO=Simple",
                                          "NCCL_MAX_CTAS=1",
                                          "NCCL_RAS_ADDR=127.0.0.1:20003"};
  for (const auto& [gpus, ranks] : {std::pair{1, 4}, {2, 4}, {3, 4}, {7, 8}}) {
    EXPECT_EQ(environment(gpus, ranks, 3, 22809), expected) << gpus << " " << ranks;
  }
}

TEST(GpuEnvironment, RanksOfSeveralHostsDoNotMeetOnTheLoopback) {
  const GpuSet gpus{.count = 0, .nccl_version = 22809, .one_host = false};
  EXPECT_FALSE(holds(gpu_environment(gpus, 2, 0, "job", 20000), "NCCL_SOCKET_IFNAME=lo"));
}

TEST(GpuEnvironment, TheOfficialSwitchComesWithNccl230) {
  const std::string official = "NCCL_MULTI_RANK_GPU_ENABLE=1";
  for (const auto& [version, expected] : {std::pair{0, false},
                                          {22809, false},
                                          {22999, false},
                                          {23000, true},
                                          {23104, true},
                                          {30000, true}}) {
    EXPECT_EQ(holds(environment(1, 2, 0, version), official), expected) << version;
  }
  EXPECT_FALSE(holds(environment(2, 2, 0, 23000), official));
}

TEST(GpuEnvironment, NoTwoRanksHaveTheSameHostOrPort) {
  std::set<std::string> hosts;
  std::set<std::string> ports;
  for (int rank = 0; rank < 16; ++rank) {
    const auto variables = environment(1, 16, rank, 22809);
    hosts.insert(variables.at(1));
    ports.insert(variables.back());
  }
  EXPECT_EQ(hosts.size(), 16U);
  EXPECT_EQ(ports.size(), 16U);
}

TEST(GpuEnvironment, TheUsersWordCounts) {
  const auto users = [](const char* name) -> const char* {
    return std::strcmp(name, "NCCL_NET") == 0 ? "IB" : nullptr;
  };
  const Merged merged = merge_with_users({"NCCL_NET=Socket", "NCCL_ALGO=Ring"}, users);
  EXPECT_EQ(merged.added, std::vector<std::string>{"NCCL_ALGO=Ring"});
  EXPECT_EQ(merged.kept, std::vector<std::string>{"NCCL_NET=IB"});
}

TEST(FreePorts, AreAllDifferent) {
  const std::vector<int> ports = free_ports(40);
  EXPECT_EQ(std::set<int>(ports.begin(), ports.end()).size(), 40U);
}

}  // namespace
}  // namespace gridlock::run
