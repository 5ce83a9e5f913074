// A rank whose /dev/shm has no room for NCCL's files.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

TEST(SharedMemory, TheVerdictSaysWhatOnlyTheLogOfNcclSays) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const end_to_end::Folder folder;
  const end_to_end::Done done =
      end_to_end::gridlock({"run", "--nccl", GRIDLOCK_NCCL, "--json", "results.json",
                            "shared_memory_full/full", "shared_memory_full/remounted"},
                           folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const nlohmann::json results = end_to_end::read_json(folder.path() / "results.json");
  for (const auto& run : results.at("runs")) {
    if (run.at("variant") != "full") continue;
    EXPECT_EQ(run.at("culprits"), std::vector{3});
    const std::string explanation = run.at("explanation");
    EXPECT_NE(explanation.find("No space left on device"), std::string::npos) << explanation;
  }
}

}  // namespace
}  // namespace gridlock::real_nccl
