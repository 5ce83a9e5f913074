// Acceptance of GPUs, with a scripted driver.
#include <gtest/gtest.h>

#include "tests/end_to_end/acceptance.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

TEST(AcceptGpu, WithoutAGpuANodeIsInconclusive) {
  const Folder folder;
  const Done done = gridlock({"accept", "node", "--output", "out"}, folder,
                             {{"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML}, {"TEST_NVML_GPUS", "0"}});
  EXPECT_EQ(done.code, 4) << done.output;
  EXPECT_EQ(results(folder).at("answer"), "inconclusive");
}

TEST(AcceptGpu, ADriverThatDoesNotStartIsInfrastructure) {
  const Folder folder;
  const Done done = gridlock({"accept", "node", "--output", "out"}, folder,
                             {{"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML}, {"TEST_NVML_FAIL", "init"}});
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("the NVIDIA driver does not start"), std::string::npos);
}

// Four GPUs of a scripted driver, with scripts instead of programs on them.
TEST(AcceptGpu, OnGpusTheCulpritHasASerialNumber) {
  const Folder folder;
  const fs::path home = folder.path() / "home";
  const std::string trains = scripted(
      {.name = "healthy_training", .variant = "scaling", .backend = "cuda", .ranks = 4},
      R"(echo '{"status":"completed","numbers":"unchecked","figures":{"speed_up":1.85}}' >&3)");
  make_installation(home, {{"healthy_training", trains}}, "cuda");
  write_program(
      home / "benchmarks" / "benchmark_collectives_cuda",
      "if [ $RANK = 1 ]; then\n" + reports("2.0e11") + "\nelse\n" + reports("4.0e11") + "\nfi");
  write(folder.path() / "p.toml",
        std::string("summary = \"a test\"\nbackend = \"cuda\"\n") + kPair +
            "outlier_margin = \"10%\"\n[[scaling]]\nranks = 2\nspeed_up = [1.8, 1.9]\n"
            "[[scaling]]\nranks = 8\nspeed_up = [7.0, 7.5]\nneeded = false\n");
  const Done done = gridlock({"accept", "p.toml", "--output", "out"}, folder,
                             {{"GRIDLOCK_HOME", home.string()},
                              {"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML},
                              {"TEST_NVML_GPUS", "4"}});
  EXPECT_EQ(done.code, 1) << done.output;
  const Json checks = results(folder).at("checks");
  EXPECT_EQ(checks.at(0).at("id"), "pair/1MiB@4");
  EXPECT_EQ(checks.at(0).at("culprits").size(), 1U) << done.output;
  const Json culprit = checks.at(0).at("culprits").at(0);
  EXPECT_EQ(culprit.at("rank"), 1);
  EXPECT_EQ(culprit.at("gpu").at("uuid"), "GPU-bbbbbbbb");
  EXPECT_EQ(culprit.at("gpu").at("serial"), "165001");
  EXPECT_EQ(checks.at(1).at("answer"), "pass") << checks.at(1);
  EXPECT_EQ(checks.at(2).at("was_run"), false);
  EXPECT_TRUE(results(folder).at("caution").is_null());
}

}  // namespace
}  // namespace gridlock::end_to_end
