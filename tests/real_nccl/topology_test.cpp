// GRIDLOCK_SIM_TOPOLOGY: NCCL's own log says that it finds other links and makes other channels
// with each, and every value stays right.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

// All that NCCL says of its graphs, while every collective's values are checked.
std::string log_of(int ranks, const std::string& topology) {
  const end_to_end::Folder folder;
  const end_to_end::Done done = watch(folder, ranks, {"collectives", "1", "1000", "40000"},
                                      {{"GRIDLOCK_SIM_TOPOLOGY", topology},
                                       {"NCCL_DEBUG", "INFO"},
                                       {"NCCL_DEBUG_SUBSYS", "INIT,GRAPH"},
                                       {"NCCL_DEBUG_FILE", (folder.path() / "log.%p").string()}});
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("all values are right"), std::string::npos) << done.output;
  std::ostringstream log;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().stem() == "log") log << std::ifstream(entry.path()).rdbuf();
  }
  return log.str();
}

bool has(const std::string& log, const char* text) { return log.find(text) != std::string::npos; }

int channels(const std::string& log) {
  std::smatch found;
  return std::regex_search(log, found, std::regex(R"((\d+) coll channels)")) ? std::stoi(found[1])
                                                                             : 0;
}

TEST(RealTopology, WithoutOneThereIsNoNvlink) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const std::string log = log_of(4, "pcie");
  EXPECT_GT(channels(log), 0);
  EXPECT_LT(channels(log), 12);  // how many depends on this machine's processor
  EXPECT_FALSE(has(log, "NVL["));
}

TEST(RealTopology, NvlinkLeadsFromDeviceToDevice) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const std::string log = log_of(4, "nvlink");
  EXPECT_EQ(channels(log), 24);
  EXPECT_TRUE(has(log, "NVL[123.6] - GPU/"));
  EXPECT_FALSE(has(log, "- NVS/"));
  EXPECT_TRUE(has(log, "via P2P/CUMEM"));
  EXPECT_FALSE(has(log, "via SHM"));
}

TEST(RealTopology, NvswitchIsOneForAllAndHasNoMulticast) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const std::string log = log_of(8, "nvswitch");
  EXPECT_EQ(channels(log), 24);
  EXPECT_TRUE(has(log, "NVL[370.8] - NVS/"));
  EXPECT_FALSE(has(log, "NVL[123.6] - GPU/"));
  EXPECT_FALSE(has(log, "via SHM"));
  EXPECT_TRUE(has(log, "NVLS multicast support is not available"));
  EXPECT_TRUE(has(log, " 0 nvls channels"));
}

TEST(RealTopology, SocketsHavePeersWithinAndSharedMemoryBetween) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const std::string log = log_of(8, "sockets");
  EXPECT_FALSE(has(log, "NVL["));
  EXPECT_TRUE(has(log, "0[0] -> 1[1] via P2P/CUMEM"));
  EXPECT_TRUE(has(log, "via SHM"));
}

TEST(RealTopology, AnUnknownOneIsRefused) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  const end_to_end::Done done =
      watch(folder, 2, {"collectives", "1"}, {{"GRIDLOCK_SIM_TOPOLOGY", "ring"}});
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_TRUE(has(done.output,
                  "GRIDLOCK_SIM_TOPOLOGY=ring is no topology; there are nvlink, nvswitch, pcie, "
                  "sockets"))
      << done.output;
}

}  // namespace
}  // namespace gridlock::real_nccl
