// When a proof has stood for long enough.
#include "harness/run/look/standing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gridlock::run {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBound = 500ms;

// Looks once a millisecond at a job whose threads all have a core.
class JobAtRest {
 public:
  // What the look finds, and the assumptions of its verdict.
  detect::Finding finding{.dead = {0}, .proven = true, .unmoved = true};
  std::vector<std::string> assumptions;
  Duration sleep{};  // of a silent thread
  Hindrances threads;

  // Whether there is a verdict; it lies in `verdict` then.
  bool look(Duration later = 1ms) {
    now_ += later;
    const auto look_at_threads = [this] { return threads; };
    if (!standing_.needs_verdict(finding, now_.count(), look_at_threads)) return false;
    detect::Verdict seen;
    for (const std::string& one : assumptions) {
      seen.assumptions.emplace_back(detect::phrase::Said{one});
    }
    const auto decided = standing_.decide(seen, sleep, now_.count(), look_at_threads);
    if (decided) verdict = *decided;
    return decided.has_value();
  }
  // For how long it looks until there is a verdict, at most 50 s.
  Duration until_verdict() {
    const Duration begun = now_;
    while (!look() && now_ - begun < 50s) {
    }
    return now_ - begun - 1ms;  // the first look is at once
  }
  void look_for(Duration time) {
    for (Duration at{}; at < time; at += 1ms) ASSERT_FALSE(look()) << at.count();
  }

  Duration left() const { return standing_.left(); }

  detect::Verdict verdict;

 private:
  Duration now_ = 1s;
  Standing standing_{kBound};
};

// The bound is over with the first look behind it.
void expect_just_over(Duration measured, Duration bound) {
  EXPECT_GT(measured, bound);
  EXPECT_LE(measured, bound + 1ms);
}

TEST(Standing, NothingIsDecidedWithoutAProof) {
  JobAtRest job;
  job.finding.proven = false;
  job.look_for(300ms);
}

TEST(Standing, AProofAboutAllRanksIsDecidedAtOnce) {
  JobAtRest job;
  job.finding.settled = true;
  EXPECT_EQ(job.until_verdict(), 0ms);
}

TEST(Standing, RanksThatCanActGetTimeToComeToRest) {
  JobAtRest job;
  expect_just_over(job.until_verdict(), kSettleBound);
}

TEST(Standing, RanksInsideCallsThatCloseGetLess) {
  JobAtRest job;
  job.finding.closing = true;
  expect_just_over(job.until_verdict(), kClosingBound);
}

TEST(Standing, SaysWhenTheNextLookIsDue) {
  JobAtRest job;
  EXPECT_EQ(job.left(), Duration::max());
  job.look();
  EXPECT_LT(job.left(), kSettleBound / 2) << "until threads without a core count";
  job.finding.closing = true;
  job.look();
  EXPECT_LT(job.left(), kClosingBound / 2);
  job.look(kClosingBound / 2);
  EXPECT_LE(job.left(), kClosingBound / 2);
  EXPECT_TRUE(job.look(kClosingBound / 2 + 1ms));
  job.finding.proven = false;
  job.look();
  EXPECT_EQ(job.left(), Duration::max());
}

TEST(Standing, LooksThatAreDueSeeTheBoundEnd) {
  JobAtRest job;
  job.finding.closing = true;
  job.look();
  Duration waited{};
  for (bool decided = false; !decided && waited < 1s;) {
    const Duration left = job.left() + 100us;
    decided = job.look(left);
    waited += left;
  }
  EXPECT_LE(waited, kClosingBound + 1ms);
}

TEST(Standing, TimeWithoutACoreIsStillLeft) {
  JobAtRest job;
  job.look();
  job.threads = {{1, {.ready = true}}};
  job.look(kSettleBound / 2);
  job.threads[1].in_queue = kSettleBound / 4;
  job.look(kSettleBound / 2 + 1ms);
  EXPECT_EQ(job.left(), kSettleBound / 4 - 1ms);
}

TEST(Standing, TimeWithoutACoreDoesNotCount) {
  JobAtRest job;
  job.threads = {{1, {.ready = true}}};
  job.look_for(kSettleBound / 2);
  job.threads[1].in_queue = kSettleBound / 4;
  expect_just_over(job.until_verdict(), kSettleBound * 3 / 4);
}

TEST(Standing, AnAssumptionMustHoldForLonger) {
  JobAtRest job;
  job.finding.settled = true;
  job.assumptions = {"no signal comes"};
  expect_just_over(job.until_verdict(), kBound);
  EXPECT_EQ(job.verdict.assumptions.size(), 1U);
}

// A silent thread that falls asleep for good needs no assumption any more. It may have done so on
// its way to act.
TEST(Standing, WhatWasAssumedOnceStandsForAWhile) {
  JobAtRest job;
  job.finding.settled = true;
  job.assumptions = {"silent threads do nothing"};
  job.look_for(10ms);
  job.assumptions = {};
  expect_just_over(job.until_verdict(), kAssumptionBound - 10ms);
  EXPECT_TRUE(job.verdict.assumptions.empty());
}

TEST(Standing, TheVerdictIsTheOneThatAssumesLeast) {
  JobAtRest job;
  job.finding.settled = true;
  job.assumptions = {"a"};
  ASSERT_FALSE(job.look());
  job.assumptions = {"a", "b"};
  job.until_verdict();
  EXPECT_EQ(job.verdict.assumptions.size(), 1U);
}

TEST(Standing, ASilentThreadWakesBefore) {
  JobAtRest job;
  job.finding.settled = true;
  job.assumptions = {"silent threads do nothing"};
  job.sleep = 3s;
  job.look_for(2s);
  job.sleep = 1s;  // that is left
  expect_just_over(job.until_verdict(), 7s + kSettleBound);
}

TEST(Standing, ALongSleepIsNotWaitedForThreeTimes) {
  for (const Duration sleep : {12s, 40s}) {
    JobAtRest job;
    job.finding.settled = true;
    job.assumptions = {"silent threads do nothing"};
    job.sleep = sleep;
    expect_just_over(job.until_verdict(), std::max<Duration>(sleep, 30s) + kSettleBound);
  }
}

TEST(Standing, WhatMovesBeginsAnew) {
  JobAtRest job;
  job.finding.settled = true;
  job.assumptions = {"a"};
  job.sleep = 3s;
  job.look_for(400ms);
  job.finding.proven = job.finding.unmoved = false;
  ASSERT_FALSE(job.look());
  job.finding.proven = job.finding.unmoved = true;
  job.sleep = {};
  expect_just_over(job.until_verdict(), kBound);
}

// Sleeping threads have stirred, and no proof of these ranks has needed an assumption since.
TEST(Standing, AnAssumptionIsForgottenWithItsRanks) {
  JobAtRest job;
  job.finding.settled = true;
  job.assumptions = {"a"};
  ASSERT_FALSE(job.look());
  job.finding.unmoved = job.finding.proven = false;
  ASSERT_FALSE(job.look());
  job.finding.unmoved = job.finding.proven = true;
  job.assumptions = {};
  EXPECT_EQ(job.until_verdict(), 0ms);
}

TEST(SleepOfSilentThreads, IsTheLongestOfTheRanksOwn) {
  std::vector<record::Snapshot> ranks(2);
  const auto add = [](record::Snapshot& rank, record::ProcessKey process, std::int64_t limit_ns) {
    rank.others.emplace_back().process = process;
    rank.others.back().sleep.limit_ns = limit_ns;
  };
  EXPECT_EQ(sleep_of_silent_threads(ranks), 0ms);
  ranks[0].key = 10;
  ranks[1].key = 11;
  add(ranks[0], 10, 5'000'000);
  add(ranks[1], 11, 7'000'000);
  add(ranks[1], 99, 900'000'000);  // a helper's
  EXPECT_EQ(sleep_of_silent_threads(ranks), 7ms);
  // A thread of rank 1 waits for that helper.
  ranks[1].others.emplace_back().process = 11;
  ranks[1].others.back().sleep = {.asleep = true, .wakers = {99}, .far_ends = {}, .on = ""};
  EXPECT_EQ(sleep_of_silent_threads(ranks), 900ms);
  // Another one naps, and then may signal or kill one.
  add(ranks[0], 98, 2'000'000'000);
  EXPECT_EQ(sleep_of_silent_threads(ranks), 900ms);
  ranks[0].others.back().sleep.by_clock = true;
  EXPECT_EQ(sleep_of_silent_threads(ranks), 2000ms);
  ranks[0].others.back().of_rank = false;
  EXPECT_EQ(sleep_of_silent_threads(ranks), 2000ms) << "a launcher's";
}

}  // namespace
}  // namespace gridlock::run
