// Collective benchmarks in an acceptance: floors, baselines, and the report of one that hangs.
#include <gtest/gtest.h>

#include "tests/end_to_end/acceptance.h"

namespace gridlock::end_to_end {
namespace {

TEST(AcceptBenchmark, ABandwidthBelowItsFloorNamesTheRank) {
  const Folder folder;
  const Done done = accept(folder, std::string(kPair) + "floor = \"2 GB/s\"\n", {},
                           with_benchmark(folder, "if [ $RANK = 2 ]; then\n" + reports("1.0e9") +
                                                      "\nelse\n" + reports("4.0e9") + "\nfi"));
  EXPECT_EQ(done.code, 1) << done.output;
  const Json check = results(folder).at("checks").at(0);
  EXPECT_EQ(check.at("answer"), "fail");
  EXPECT_EQ(check.at("culprits").size(), 1U);
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 2);
  EXPECT_NE(done.output.find("to blame: rank 2 on "), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("say nothing about any GPU"), std::string::npos) << done.output;
}

TEST(AcceptBenchmark, ABaselineIsWrittenAndHeldAgainst) {
  const Folder folder;
  const std::string share = std::string(kPair) + "share_of_baseline = \"90%\"\n";
  EXPECT_EQ(accept(folder, share).code, 2);
  ASSERT_EQ(accept(folder, kPair, {"--write-baseline", "good.json"},
                   with_benchmark(folder, reports("4.0e9")))
                .code,
            0);
  const auto slower = with_benchmark(folder, reports("3.0e9"));
  const Done done = accept(folder, share, {"--baseline", "good.json"}, slower);
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("90% of the baseline's 4.00 GB/s"), std::string::npos) << done.output;
  EXPECT_EQ(accept(folder, share, {"--baseline", "missing.json"}).code, 2);
}

TEST(AcceptBenchmark, AHangInABenchmarkIsDiagnosed) {
  const Folder folder;
  const Done done =
      accept(folder, kPair, {}, with_benchmark(folder, "exec " + program("skips_one")));
  EXPECT_EQ(done.code, 1) << done.output;
  const Json check = results(folder).at("checks").at(0);
  EXPECT_EQ(check.at("answer"), "fail");
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 3);
  const std::string evidence = check.at("evidence");
  EXPECT_NE(evidence.find("deadlock (rank_exited): rank 3 is to blame"), std::string::npos)
      << evidence;
  // Its black boxes give the verdict again.
  const Done again = gridlock({"diagnose", "out/runs/pair.1MiB.n4.0"}, folder);
  EXPECT_NE(again.output.find("rank 3 is to blame"), std::string::npos) << again.output;
}

TEST(AcceptBenchmark, ABenchmarkThatNeverEndsIsEndedByItsLimit) {
  const Folder folder;
  const Done done = accept(folder, std::string(kPair) + "limit = \"500ms\"\n", {},
                           with_benchmark(folder, "exec sleep 1000"));
  EXPECT_NE(done.code, 0) << done.output;
  EXPECT_EQ(results(folder).at("checks").at(0).at("passed"), 0);
}

}  // namespace
}  // namespace gridlock::end_to_end
