// Protocols, algorithms and transports of the real NCCL, on 2, 4 and 8 ranks, each value checked.
#include <gtest/gtest.h>

#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

struct Way {
  const char* name;
  Environment environment;
};

const Way kWays[] = {
    {"as_it_chooses", {}},
    {"simple", {{"NCCL_PROTO", "Simple"}}},
    {"ll", {{"NCCL_PROTO", "LL"}}},
    {"ll128", {{"NCCL_PROTO", "LL128"}}},
    {"tree", {{"NCCL_ALGO", "allreduce:tree"}}},
    {"shared_memory", {{"NCCL_P2P_DISABLE", "1"}}},
    {"sockets", {{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}}},
    {"without_virtual_memory", {{"NCCL_CUMEM_ENABLE", "0"}}},
    // Without these, NCCL has peers on PCIe for two devices only, and shared memory for more.
    {"peers", {{"NCCL_P2P_LEVEL", "SYS"}}},
    {"peers_without_virtual_memory", {{"NCCL_P2P_LEVEL", "SYS"}, {"NCCL_CUMEM_ENABLE", "0"}}},
};

// Places in kWays.
constexpr int kAsItChooses = 0;
constexpr int kTree = 4;
constexpr int kSockets = 6;

class Matrix : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Matrix, AllValuesAreRight) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const auto& [way, ranks] = GetParam();
  const end_to_end::Folder folder;
  const end_to_end::Done done =
      watch(folder, ranks, {"collectives", "1", "1000", "40000"}, kWays[way].environment);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("all values are right"), std::string::npos) << done.output;
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, int>>& chosen) {
  const auto& [way, ranks] = chosen.param;
  return std::string(kWays[way].name) + "_" + std::to_string(ranks);
}

INSTANTIATE_TEST_SUITE_P(Real, Matrix,
                         testing::Combine(testing::Range(0, static_cast<int>(std::size(kWays))),
                                          testing::Values(2, 4)),
                         name_of);

// 8 ranks on few cores take their time, so only the ways that differ most.
INSTANTIATE_TEST_SUITE_P(RealOnEight, Matrix,
                         testing::Combine(testing::Values(kAsItChooses, kTree, kSockets),
                                          testing::Values(8)),
                         name_of);

}  // namespace
}  // namespace gridlock::real_nccl
