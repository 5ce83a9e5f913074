// Verdicts, tables, lines and comparisons as a person reads them.
#include "harness/report/formats/text.h"

#include <gtest/gtest.h>

#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/comparison.h"
#include "harness/report/formats/line.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/table.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

TEST(Text, AVerdictFitsOneScreen) {
  EXPECT_EQ(detect::verdict_text(hang().verdict),
            "deadlock (rank_exited): rank 3 is to blame\n"
            "  ranks 0-2 wait in all_reduce #41 \"gradients/bucket 0\" on world at launch_bucket "
            "(reducer.cpp:88), host in stream_synchronize\n"
            "  rank 3: exited with code 0\n"
            "  assumes: 1 thread never makes a call\n");
}

TEST(Text, LongListsAreCutAndSaySo) {
  detect::Verdict verdict = hang().verdict;
  verdict.waiting.resize(100, verdict.waiting.front());
  verdict.cycle.resize(50, detect::phrase::Said{"rank 0"});
  const std::string text = detect::verdict_text(verdict);
  EXPECT_NE(text.find("... and 92 more"), std::string::npos);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
}

TEST(Text, ALinePerRun) {
  EXPECT_EQ(run_line(hang()),
            "ok    uneven_batches/peers_leave (4 ranks): deadlock (rank_exited): rank 3 is to "
            "blame, detected in 1.25 ms\n");
  EXPECT_EQ(run_line(skipped()),
            "skip  uneven_batches/needs_three (4 ranks): needs at least 3 ranks\n");
}

TEST(Text, ProgressFitsTheTerminal) {
  const Progress progress{.done = 3, .planned = 36, .differing = 1, .current = "a/b"};
  EXPECT_EQ(progress_line(progress, 80), "[3/36, 1 differ] a/b");
  EXPECT_EQ(progress_line(progress, 10).size(), 10U);
}

TEST(Table, HasARowPerVariantAndTheSummary) {
  const std::string text = table(session());
  EXPECT_NE(text.find("\nuneven_batches\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  peers_leave "), std::string::npos) << text;
  EXPECT_NE(text.find("2/2"), std::string::npos);
  EXPECT_NE(text.find("4 runs: 3 as declared, 1 skipped, 1 in error; true positives 2"),
            std::string::npos)
      << text;
}

TEST(Markdown, ShowsFiguresWithRepetitionsAndMachine) {
  const std::string text = to_markdown(session());
  EXPECT_NE(text.find("2 x Processor, commit 0123456789ab with local changes"), std::string::npos);
  EXPECT_NE(text.find("1.25 (1.25-1.25, n=2)"), std::string::npos) << text;
  EXPECT_NE(text.find("exited with code 0"), std::string::npos);
}

TEST(Comparison, TellsChangedVerdictsAndRatios) {
  const Results base = session();
  Results fresh = session();
  fresh.runs[2].step_time_us = 300;
  fresh.runs[3] = healthy("padding", "fix", 300);
  fresh.runs.push_back(healthy("new_one", "fix", 1));
  const Comparison comparison = compare(base, fresh);
  EXPECT_EQ(comparison.differing_verdicts, 1);
  EXPECT_NE(comparison.text.find("CHANGED from deadlock (rank_exited) to completes"),
            std::string::npos)
      << comparison.text;
  EXPECT_NE(comparison.text.find("step 1.50x"), std::string::npos) << comparison.text;
  EXPECT_NE(comparison.text.find("only in the second"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
