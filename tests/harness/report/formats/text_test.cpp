// Verdicts, tables, lines and comparisons as a person reads them.
#include "harness/report/formats/text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "harness/detect/words/verdict_text.h"
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

TEST(Text, ProgressOfASoakHasNoPlannedNumber) {
  const Progress progress{.done = 3, .planned = 0, .differing = 0, .current = "a/b"};
  EXPECT_EQ(progress_line(progress, 80), "[3] a/b");
}

// A character of several bytes is not split, and takes one column.
TEST(Text, ProgressCutsBetweenLetters) {
  const Progress progress{.done = 3, .planned = 36, .differing = 0, .current = "aéé"};
  EXPECT_EQ(progress_line(progress, 9), "[3/36] aé");
  EXPECT_EQ(progress_line(progress, 0), "");
}

TEST(Text, TimesHaveThreeDigits) {
  EXPECT_EQ(three_digits(0.342), "0.34");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(29.16), "29.2");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(1005.7), "1006");
}

TEST(Text, LinesAreBrokenBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one\n  two\n  three\n");
  EXPECT_EQ(wrapped("one two three", 80), "one two three\n");
  EXPECT_EQ(wrapped("a_word_that_is_too_long b", 8), "a_word_that_is_too_long\nb\n");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, HasARowPerVariantAndTheSummary) {
  EXPECT_EQ(lines_of(table(session())),
            (std::vector<std::string>{
                std::string("! broken  ~ remedy  + fix  = control; times in ms, step in us, ") +
                    "cost: step over the control's",
                "variant          verdict                   n  hang  detect  recover  step  cost",
                "uneven_batches, 4 ranks",
                "  ! peers_leave  deadlock (rank_exited)    2  3.50    1.25     7.00     -     -",
                "  = even         completes                 1     -       -        -   200     -",
                "  + padding      deadlock (rank_exited)  0/1     -       -        -   300     -",
                "      NOT AS DECLARED in 1 of 1 run: score 0 of 5, 0 wrongly accused",
                "  + join         error                     -     -       -        -   300     -",
                "  ! needs_three  skipped                   -     -       -        -     -     -",
                std::string("Time to detect 2 deadlocks: median 1.25 ms, ") +
                    "99th percentile 1.25 ms, greatest 1.25 ms",
                "4 runs: 3 as declared, 1 skipped, 1 in error; full score 3, noise 0",
                "true positives 2, true negatives 1, false positives 1, false negatives 0"}));
}

// Every line fits, even with wider names, verdicts and figures than the catalogue has.
TEST(Table, FitsAHundredColumns) {
  Results results = session();
  for (int repetition = 0; repetition < 100; ++repetition) {
    auto run = hang(repetition);
    run.scenario = "a_scenario_with_a_name_of_forty_letters_";
    run.variant = "a_variant_with_a_name_of_more_than_forty_letters";
    run.verdict.cause = detect::Cause::missing_rank;
    run.time_to_hang_ms = run.time_to_detect_ms = run.time_to_recover_ms = 123456;
    run.step_time_us = 1234567;
    run.fix_cost = 100;
    if (repetition % 3 > 0) run.verdict.outcome = detect::Outcome::stall;
    if (repetition % 3 > 1) run.verdict.outcome = detect::Outcome::completes;
    if (repetition % 3 > 1) run.verdict.cause = detect::Cause::host_stuck;
    run.as_declared = repetition % 3 == 0;
    run.score = 2;
    run.noise = 3;
    results.runs.push_back(run);
  }
  const std::string text = table(results);
  for (const std::string& line : lines_of(text)) EXPECT_LE(width(line), 100U) << line;
  EXPECT_NE(text.find("a_variant_with_a_name_of_more_than_forty_letters\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" 34/100 "), std::string::npos) << text;
  EXPECT_NE(text.find("NOT AS DECLARED in 66 of 100 runs: score 2 of 5, 3 wrongly accused\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("stall (missing_rank) 33/100"), std::string::npos) << text;
}

TEST(Markdown, ShowsFiguresWithRepetitionsAndMachine) {
  const std::string text = to_markdown(session());
  EXPECT_NE(text.find("2 x Processor, commit 0123456789ab with local changes"), std::string::npos);
  EXPECT_NE(text.find("1.25 (1.25-1.25, n=2)"), std::string::npos) << text;
  EXPECT_NE(text.find("exited with code 0"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::report
