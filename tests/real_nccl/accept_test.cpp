// `accept` and `soak` on the real NCCL.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

TEST(RealNccl, AProfileIsAcceptedOnIt) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  std::ofstream(folder.path() / "one.toml")
      << "summary = \"a hang and a cure\"\n[[scenario]]\n"
         "run = [\"gpu_lost/ends_alone\", \"gpu_lost/go_on_without_it\"]\n";
  const end_to_end::Done done = end_to_end::gridlock(
      {"accept", "one.toml", "--nccl", GRIDLOCK_NCCL, "--json", "accepted.json"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto accepted = end_to_end::read_json(folder.path() / "accepted.json");
  EXPECT_EQ(accepted.at("context").at("nccl"), GRIDLOCK_NCCL);
  EXPECT_EQ(accepted.at("context").at("nccl_origin"), "source");
  EXPECT_EQ(accepted.at("answer"), "pass");
}

TEST(RealNccl, ASoakOnItHasNoFalseAlarm) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  const end_to_end::Done done =
      end_to_end::gridlock({"soak", "early_convergence", "--nccl", GRIDLOCK_NCCL, "--for", "3s",
                            "--json", "soaked.json"},
                           folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto soaked = end_to_end::read_json(folder.path() / "soaked.json");
  EXPECT_EQ(soaked.at("context").at("nccl"), GRIDLOCK_NCCL);
  EXPECT_GT(soaked.at("total").at("runs"), 0);
}

}  // namespace
}  // namespace gridlock::real_nccl
