// How well the detector did over a session.
#include "harness/report/figures/detection.h"

#include <gtest/gtest.h>

#include "harness/report/formats/json.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/table.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

Run detected(double ms) {
  Run run = hang();
  run.time_to_detect_ms = ms;
  return run;
}

TEST(Detection, IsOfProvenDeadlocksAlone) {
  std::vector<report::Run> runs;
  EXPECT_FALSE(detection_of(runs));
  EXPECT_EQ(detection_text(runs), "");
  for (int i = 0; i <= 100; ++i) runs.push_back(detected(i));
  runs.push_back(detected(1000));
  runs.back().verdict.outcome = detect::Outcome::stall;
  runs.push_back(detected(2000));
  runs.back().status = Status::error;
  const auto times = detection_of(runs);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->count, 101U);
  EXPECT_DOUBLE_EQ(times->median, 50);
  EXPECT_DOUBLE_EQ(times->percentile_99, 99);
  EXPECT_EQ(detection_text(runs),
            "Time to detect 101 deadlocks: median 50.00 ms, 99th percentile 99.00 ms, greatest "
            "100.00 ms\n");
}

TEST(Detection, ProofsWithoutAnAssumptionAreToldApart) {
  std::vector<report::Run> runs{detected(1), detected(3), detected(250)};
  for (report::Run& run : runs) run.verdict.assumptions.clear();
  EXPECT_EQ(detection_text(runs).find("without"), std::string::npos);
  runs[2].verdict.assumptions.emplace_back();
  const auto bare = detection_of(runs, Proofs::without_assumption);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->count, 2U);
  EXPECT_EQ(detection_text(runs),
            "Time to detect 3 deadlocks: median 3.00 ms, 99th percentile 245.06 ms, greatest "
            "250.00 ms; 2 without an assumption: median 2.00 ms, 99th percentile 2.98 ms, greatest "
            "3.00 ms\n");
  for (report::Run& run : runs) run.verdict.assumptions.resize(1);
  EXPECT_EQ(detection_text(runs).find("without"), std::string::npos);
}

TEST(Detection, ScoresAreCounted) {
  const Scores scores = scores_of(session().runs);
  EXPECT_EQ(scores.verdicts, (std::array<int, 6>{1, 0, 0, 0, 0, 3}));
  EXPECT_EQ(scores.noise, 0);
  std::vector<report::Run> noisy{hang(), hang()};
  noisy[0].score = 4;
  noisy[0].noise = 2;
  noisy[1].noise = 1;
  EXPECT_EQ(scores_of(noisy).noise, 3);
  EXPECT_EQ(scores_of(noisy).verdicts[4], 1);
}

TEST(Detection, IsInTheReports) {
  Results results = session();
  EXPECT_NE(table(results).find("Time to detect 2 deadlocks: median 1.25 ms"), std::string::npos)
      << table(results);
  const std::string markdown = to_markdown(results);
  EXPECT_NE(markdown.find("| runs | 3 | 0 | 0 | 0 | 0 | 1 | 0 |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("(true positives)"), std::string::npos);
  EXPECT_NE(to_json(results).find("\"percentile_99\""), std::string::npos);
  results.runs.clear();
  EXPECT_NE(to_json(results).find("\"time_to_detect_ms\": null"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
