// Which runs count as true positives and negatives, and which as false ones.
#include <gtest/gtest.h>

#include "harness/report/results.h"

namespace gridlock::report {
namespace {

using detect::Outcome;

struct Case {
  const char* name;
  std::vector<Outcome> declared;
  Outcome told;
  int Summary::*counted;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Truth : public testing::TestWithParam<Case> {};

TEST_P(Truth, IsCountedOnce) {
  report::Run run;
  run.expected = GetParam().declared;
  run.verdict.outcome = GetParam().told;
  const Summary summary = summarise({run});
  EXPECT_EQ(summary.*GetParam().counted, 1);
  EXPECT_EQ(summary.true_positive + summary.true_negative + summary.false_positive +
                summary.false_negative,
            1);
}

INSTANTIATE_TEST_SUITE_P(
    Summaries, Truth,
    testing::Values(
        Case{"hang", {Outcome::deadlock}, Outcome::deadlock, &Summary::true_positive},
        Case{"stall_for_a_deadlock", {Outcome::deadlock}, Outcome::stall, &Summary::true_positive},
        Case{"missed", {Outcome::deadlock}, Outcome::completes, &Summary::false_negative},
        Case{"missed_for_a_crash", {Outcome::stall}, Outcome::crashes, &Summary::false_negative},
        Case{"healthy", {Outcome::completes}, Outcome::completes, &Summary::true_negative},
        Case{"false_alarm", {Outcome::completes}, Outcome::stall, &Summary::false_positive},
        // A cure that ends the job with an error must not be called a hang.
        Case{"false_alarm_on_a_fix", {Outcome::fails}, Outcome::deadlock, &Summary::false_positive},
        Case{"failure", {Outcome::fails}, Outcome::fails, &Summary::true_positive},
        Case{"failure_seen_as_success",
             {Outcome::fails},
             Outcome::completes,
             &Summary::false_negative},
        Case{"failure_of_a_healthy_one",
             {Outcome::completes},
             Outcome::fails,
             &Summary::false_positive},
        Case{"may_hang_and_does",
             {Outcome::completes, Outcome::deadlock},
             Outcome::deadlock,
             &Summary::true_positive},
        Case{"may_hang_and_does_not",
             {Outcome::completes, Outcome::deadlock},
             Outcome::completes,
             &Summary::true_negative}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Summaries, AddUpScoresAndNoise) {
  report::Run right;
  right.expected = {Outcome::completes};
  right.score = kFullScore;
  right.noise = 0;
  report::Run wrong = right;
  wrong.score = 3;
  wrong.noise = 2;
  const Summary summary = summarise({right, wrong, right});
  EXPECT_EQ(summary.full_score, 2);
  EXPECT_EQ(summary.noise, 2);
}

}  // namespace
}  // namespace gridlock::report
