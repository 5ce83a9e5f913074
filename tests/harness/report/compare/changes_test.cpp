// What counts as worse, and what is noise.
#include "harness/report/compare/changes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/report/compare/sessions.h"

namespace gridlock::report {
namespace {

int count(const Changes& changes, Kind kind) {
  return static_cast<int>(std::count_if(changes.all.begin(), changes.all.end(),
                                        [&](const Change& change) { return change.kind == kind; }));
}

TEST(Changes, ASessionIsLikeItself) {
  const Changes changes = changes_between(base_session(), base_session());
  EXPECT_TRUE(changes.all.empty());
  EXPECT_FALSE(changes.got_worse());
  EXPECT_GT(changes.figures, 0);
}

TEST(Changes, FindsWhatGotWorseAndPutsItFirst) {
  const Changes changes = changes_between(base_session(), worse_session());
  EXPECT_TRUE(changes.got_worse());
  EXPECT_EQ(changes.all.front().kind, Kind::cure_stopped);
  EXPECT_EQ(changes.all.front().name, "uneven_batches/join");
  EXPECT_EQ(count(changes, Kind::slower), 1);
  EXPECT_EQ(count(changes, Kind::added), 1);
  EXPECT_EQ(count(changes, Kind::gone), 1);
}

TEST(Changes, TheWayBackIsNoWorse) {
  const Changes changes = changes_between(worse_session(), base_session());
  EXPECT_FALSE(changes.got_worse());
  EXPECT_EQ(count(changes, Kind::faster), 1);
  EXPECT_EQ(count(changes, Kind::verdict_changed), 1);
}

TEST(Changes, FewerThanFiveRepetitionsSayNothing) {
  const Changes changes = changes_between(timed_session(300, 200, 4), timed_session(900, 600, 4));
  EXPECT_TRUE(changes.all.empty());
  EXPECT_EQ(changes.figures, 0);
  EXPECT_EQ(changes.too_few, 2);
}

TEST(Changes, WithinTheNoiseOrTheThresholdNothingMoved) {
  // Every value is greater, but by 5 %.
  EXPECT_TRUE(changes_between(timed_session(300, 200), timed_session(315, 210)).all.empty());
  const Changes strict =
      changes_between(timed_session(300, 200), timed_session(315, 210), {.threshold = 0.02});
  EXPECT_EQ(count(strict, Kind::slower), 2);
  // The median has moved by half, but the samples overlap.
  Results noisy = timed_session(300, 200);
  for (std::size_t i = 0; i < noisy.runs.size(); ++i) {
    noisy.runs[i].step_time_us = i % 4 < 2 ? 450.0 + static_cast<double>(i) : 100.0;
  }
  EXPECT_TRUE(changes_between(timed_session(300, 200), noisy).all.empty());
}

TEST(Changes, AVariantThatCannotRunAnyMoreIsWorse) {
  Results broken = base_session();
  report::Run& last = broken.runs.back();
  last.status = Status::error;
  last.as_declared = false;
  const Changes changes = changes_between(base_session(), broken);
  EXPECT_EQ(count(changes, Kind::no_longer_runs), 1);
  EXPECT_TRUE(changes.got_worse());
}

TEST(Matrix, ShowsOnlyRowsThatDiffer) {
  Comparison matrix = matrix_comparison();
  const std::string text = to_text(matrix);
  EXPECT_EQ(text.find("uneven_batches/even ("), text.find("slower: uneven_batches/even") + 8);
  EXPECT_NE(text.find("! uneven_batches/join"), std::string::npos);
  matrix.all_rows = true;
  EXPECT_NE(to_text(matrix).find("  uneven_batches/even (4 ranks)\n      all: completes"),
            std::string::npos);
}

TEST(ComparisonPage, NamesOfProgramsAreText) {
  const std::string html = to_html(worse_comparison());
  EXPECT_EQ(html.find("new <one>"), std::string::npos);
  EXPECT_NE(html.find("new &lt;one&gt;"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
