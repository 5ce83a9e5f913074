// Kinds of init, types and operations, splits, aborts; what the results say; hangs that are proven.
#include <gtest/gtest.h>

#include "harness/base/port.h"
#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

class Kinds : public testing::TestWithParam<const char*> {};

TEST_P(Kinds, EndWell) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  const bool alone = std::string(GetParam()) == "one_process";
  const std::string ras = "127.0.0.1:" + std::to_string(free_ports(1).front());
  const end_to_end::Done done =
      watch(folder, alone ? 1 : 4, {"kinds", GetParam()}, {{"NCCL_RAS_ADDR", ras}});
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("all is as it should be"), std::string::npos) << done.output;
}

INSTANTIATE_TEST_SUITE_P(Real, Kinds,
                         testing::Values("types", "split", "non_blocking", "abort", "ras",
                                         "one_process"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(RealNccl, ResultsSayWhichNcclRan) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  const end_to_end::Done done = watch(folder, 2, {"collectives", "10"});
  ASSERT_EQ(done.code, 0) << done.output;
  const auto context = end_to_end::read_json(folder.path() / "out.json").at("context");
  EXPECT_EQ(context.at("backend"), "sim");
  EXPECT_EQ(context.at("nccl"), GRIDLOCK_NCCL);
  EXPECT_EQ(context.at("nccl_origin"), "source");
}

class Scenarios : public testing::TestWithParam<const char*> {};

// The verdicts were declared for the simulated NCCL. The real one must give the same.
TEST_P(Scenarios, EndAsDeclared) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  const end_to_end::Done done =
      end_to_end::gridlock({"run", "--nccl", GRIDLOCK_NCCL, GetParam()}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
}

INSTANTIATE_TEST_SUITE_P(Real, Scenarios,
                         testing::Values("uneven_batches", "interleaved_communicators",
                                         "stray_synchronize", "sync_batchnorm_stall"),
                         [](const auto& chosen) { return std::string(chosen.param); });

// Older versions' own threads call CUDA's runtime, and sleep afterwards. They are not the
// program's.
TEST(RealNccl, EveryVersionThatIsBuiltProvesAHang) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  for (const auto& built : std::filesystem::directory_iterator(GRIDLOCK_BUILD "/nccl")) {
    if (!std::filesystem::exists(built.path() / "build.json")) continue;
    const end_to_end::Folder folder;
    const end_to_end::Done done = end_to_end::gridlock(
        {"run", "--nccl", built.path().filename().string(), "uneven_batches/peers_leave"}, folder);
    EXPECT_EQ(done.code, 0) << built.path() << "\n" << done.output;
  }
}

// Both settings complete: a call in which NCCL may connect does not yet count as a wait.
TEST(RealNccl, ConnectedOneByOneIsNoDeadlock) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  for (const char* lazily : {"0", "1"}) {
    const end_to_end::Folder folder;
    const end_to_end::Done done = end_to_end::gridlock(
        {"run", "--nccl", GRIDLOCK_NCCL, "missing_group/connected_one_by_one"}, folder,
        {{"NCCL_RUNTIME_CONNECT", lazily}, {"NCCL_CUMEM_ENABLE", "0"}});
    EXPECT_EQ(done.code, 0) << done.output;
  }
}

}  // namespace
}  // namespace gridlock::real_nccl
