// The matrix of verdicts: which rows differ, and versions in order.
#include "harness/report/compare/side_by_side.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/report/compare/sessions.h"

namespace gridlock::report {
namespace {

const Row& row_of(const SideBySide& all, const std::string& name) {
  return *std::find_if(all.verdicts.begin(), all.verdicts.end(),
                       [&](const Row& row) { return row.name == name + " (4 ranks)"; });
}

TEST(SideBySide, ATimeToDetectStandsInTheCellIfItIsAskedFor) {
  const std::vector<Results> sessions{base_session(), base_session()};
  const SideBySide plain = side_by_side(sessions, {"a", "b"});
  EXPECT_EQ(row_of(plain, "uneven_batches/peers_leave").cells[0], "deadlock (rank_exited)");
  const SideBySide timed = side_by_side(sessions, {"a", "b"}, Cells::verdicts_and_times);
  EXPECT_EQ(row_of(timed, "uneven_batches/peers_leave").cells[0],
            "deadlock (rank_exited), 1.25 ms");
  EXPECT_EQ(row_of(timed, "uneven_batches/join").cells[0], "completes");
}

TEST(SideBySide, ATimeMakesNoRowDiffer) {
  Results slower = base_session();
  for (auto& run : slower.runs) {
    if (run.time_to_detect_ms) *run.time_to_detect_ms *= 2;
  }
  const SideBySide all =
      side_by_side({base_session(), slower}, {"a", "b"}, Cells::verdicts_and_times);
  EXPECT_FALSE(row_of(all, "uneven_batches/peers_leave").differs);
  EXPECT_EQ(row_of(all, "uneven_batches/peers_leave").cells[1], "deadlock (rank_exited), 2.50 ms");
}

// Versions that got worse, and then better again.
Comparison in_steps() {
  const std::vector<Results> sessions{base_session(), worse_session(), base_session()};
  Comparison comparison{.sessions = side_by_side(sessions, {"old", "middle", "new"}),
                        .changes = {},
                        .noise = {},
                        .all_rows = false,
                        .in_steps = true};
  comparison.changes = {changes_between(sessions[0], sessions[1]),
                        changes_between(sessions[1], sessions[2])};
  return comparison;
}

TEST(Comparison, VersionsAreComparedWithTheOneBefore) {
  const Comparison comparison = in_steps();
  EXPECT_TRUE(comparison.got_worse());
  for (const std::string& text :
       {to_text(comparison), to_markdown(comparison), to_html(comparison)}) {
    EXPECT_NE(text.find("middle against old"), std::string::npos) << text;
    EXPECT_NE(text.find("new against middle"), std::string::npos) << text;
  }
  EXPECT_NE(to_json(comparison).find("\"against_previous\""), std::string::npos);
}

TEST(Comparison, TwoVersionsAreAMatrixToo) {
  Comparison comparison = comparison_of({base_session(), worse_session()}, {"old", "new"});
  EXPECT_FALSE(comparison.is_matrix());
  comparison.in_steps = true;
  EXPECT_TRUE(comparison.is_matrix());
  EXPECT_NE(to_markdown(comparison).find("## Verdicts"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
