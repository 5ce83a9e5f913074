// What ranks under mpiexec tell us.
#include "harness/run/start/mpiexec_ends.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/run/start/report_files.h"

namespace gridlock::run {
namespace {

constexpr const char* kWell = R"({"status": "completed", "numbers": "right"})";
constexpr const char* kFailed = R"({"status": "failed", "reason": "ncclInternalError"})";

TEST(Mpiexec, RanksThatReportedHaveEndedAsTheySay) {
  const auto ends = ends_under_mpiexec(processes::Ending{.signaled = false, .code = 9}, "lines",
                                       {kWell, kFailed, ""});
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(ends[0].ending->code, 0);
  EXPECT_EQ(ends[0].report.numbers, RankReport::Numbers::right);
  EXPECT_EQ(ends[0].output, "lines");
  EXPECT_EQ(ends[1].ending->code, 1);
  EXPECT_EQ(ends[1].report.reason, "ncclInternalError");
  // Only what mpiexec reported about it is known.
  EXPECT_EQ(ends[2].ending->code, 9);
}

TEST(Mpiexec, WhileItRunsNobodyHasEnded) {
  for (const RankEnd& end : ends_under_mpiexec({}, "", {kWell, ""})) {
    EXPECT_FALSE(end.ending.has_value());
  }
}

TEST(ReportFiles, AreWrittenByPath) {
  const ReportFiles files(2);
  EXPECT_EQ(files.text(0), "");
  std::ofstream(files.path(1)) << kWell;
  EXPECT_EQ(files.text(0), "");
  EXPECT_EQ(files.text(1), kWell);
}

}  // namespace
}  // namespace gridlock::run
