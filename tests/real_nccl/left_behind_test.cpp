// Ranks that hang are killed, and NCCL cannot remove its shared memory then.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

std::set<std::string> segments() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().starts_with("nccl-")) names.insert(entry.path());
  }
  return names;
}

class LeftBehind : public testing::TestWithParam<std::pair<const char*, Environment>> {};

TEST_P(LeftBehind, NoSharedMemoryOfKilledRanks) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const std::set<std::string> before = segments();
  const end_to_end::Folder folder;
  Environment environment = GetParam().second;
  environment.emplace("NCCL_RUNTIME_CONNECT", "0");  // so that they are connected when they hang
  const end_to_end::Done done = end_to_end::gridlock(
      {"run", "--nccl", GRIDLOCK_NCCL, "uneven_batches/peers_leave", "--output", "out"}, folder,
      environment);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("deadlock (rank_exited)"), std::string::npos) << done.output;
  EXPECT_EQ(segments(), before);
}

INSTANTIATE_TEST_SUITE_P(Real, LeftBehind,
                         testing::Values(std::pair{"as_it_chooses", Environment{}},
                                         std::pair{"shared_memory",
                                                   Environment{{"NCCL_P2P_DISABLE", "1"}}}),
                         [](const auto& setting) { return setting.param.first; });

}  // namespace
}  // namespace gridlock::real_nccl
