// Which silences are reported as stalls, and which are healthy on a crowded machine.
#include "harness/run/look/silence.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

struct Case {
  const char* name;
  Duration wall;
  Duration starved;
  bool initialised;
  bool told;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class SilenceOf : public testing::TestWithParam<Case> {};

TEST_P(SilenceOf, IsToldOrNot) {
  const Case& one = GetParam();
  const Duration limit = silence_limit(one.initialised, kStallLimit, true);
  EXPECT_EQ(is_over({.wall = one.wall, .starved = one.starved}, limit), one.told);
}

constexpr Duration kLittle = 1ms;

INSTANTIATE_TEST_SUITE_P(
    Cases, SilenceOf,
    testing::Values(
        Case{"short", kStallLimit - kLittle, 0ms, true, false},
        Case{"all_asleep", kStallLimit + kLittle, 0ms, true, true},
        // It had the core all the time, so it is reported as soon as one that sleeps.
        Case{"spins_alone", kStallLimit + kLittle, 0ms, true, true},
        // A message goes through four healthy ranks, each of which waits for a core first.
        Case{"starved_one_after_the_other", kStallLimit * 3 / 2, 4 * 200ms, true, false},
        // Sixteen healthy ranks on two cores.
        Case{"starved_all_at_once", 4 * kStallLimit, 14 * 4 * kStallLimit, true, false},
        Case{"starved_all_the_time", 9 * kStallLimit, 9 * kStallLimit, true, false},
        // It spins for ever beside two programs that do the same. It is reported once it has had a
        // core for as long as the limit.
        Case{"spins_among_others", 3 * kStallLimit + kLittle, 2 * kStallLimit, true, true},
        // A machine that never gives it a core is not an excuse for ever.
        Case{"starved_for_ever", kMostStarved* kStallLimit + kLittle, kMostStarved* kStallLimit,
             true, true},
        Case{"slow_to_begin", 2 * kStallLimit, 0ms, false, false},
        Case{"slow_and_starved_to_begin", kInitialisationLimit + kStallLimit, 2 * kStallLimit,
             false, false},
        Case{"never_begins", kInitialisationLimit + kLittle, 0ms, false, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SilenceLimit, ShrinksAndGrowsWithWhatTheJobAsksFor) {
  EXPECT_EQ(silence_limit(true, 200ms, true), 200ms);
  EXPECT_GT(silence_limit(false, 200ms, true), 200ms);
  EXPECT_LT(silence_limit(false, 200ms, true), kInitialisationLimit);
  EXPECT_EQ(silence_limit(false, kStallLimit, true), kInitialisationLimit);
  EXPECT_EQ(silence_limit(false, kStallLimit, false), kSimulatedInitialisationLimit);
  EXPECT_EQ(silence_limit(false, kWatchStallLimit, true), kWatchStallLimit);
}

record::Snapshot past_initialisation() {
  record::Snapshot rank;
  rank.initialised_ns = 1;
  rank.threads.resize(2);
  rank.communicators.resize(1);
  rank.communicators[0].state = record::CommunicatorState::ready;
  return rank;
}

TEST(IsInitialising, UntilTheFirstCommunicatorIsThere) {
  EXPECT_FALSE(is_initialising(past_initialisation()));
  EXPECT_TRUE(is_initialising({}));
}

TEST(IsInitialising, WhileAnotherCommunicatorIsMade) {
  for (const record::Call call :
       {record::Call::comm_init, record::Call::comm_split, record::Call::comm_shrink}) {
    record::Snapshot rank = past_initialisation();
    rank.threads[1].call = call;
    EXPECT_TRUE(is_initialising(rank)) << to_string(call);
    rank.threads[1].exists = false;
    EXPECT_FALSE(is_initialising(rank)) << to_string(call);
  }
  record::Snapshot does_not_block = past_initialisation();
  does_not_block.communicators.emplace_back();  // initializing
  EXPECT_TRUE(is_initialising(does_not_block));
}

TEST(IsInitialising, NotInOtherCallsNorWhereItIsGone) {
  record::Snapshot rank = past_initialisation();
  rank.threads[0].call = record::Call::stream_synchronize;
  EXPECT_FALSE(is_initialising(rank));
  record::Snapshot gone;
  gone.process = record::ProcessState::exited;
  EXPECT_FALSE(is_initialising(gone));
}

TEST(SilenceSentence, SaysWhatTheMachineKeptAndWhoBegins) {
  EXPECT_EQ(sentence({.wall = 1003ms}, {}), "No rank has made progress for 1003 ms.");
  EXPECT_EQ(sentence({.wall = 10003ms}, {.ending = {1}}),
            "No rank has made progress for 10003 ms; the kernel has not finished ending rank 1.");
  EXPECT_EQ(sentence({.wall = 8s, .starved = 9s}, {}),
            "No rank has made progress for 8000 ms (for up to 8000 ms of which one was ready to "
            "run and got no core, or waited for the disk).");
  EXPECT_EQ(
      sentence({.wall = 8s, .starved = 7s}, {.initialising = {2, 3}}),
      "No rank has made progress for 8000 ms (for up to 7000 ms of which one was ready to "
      "run and got no core, or waited for the disk); ranks 2, 3 are not past initialisation.");
  EXPECT_EQ(sentence({.wall = 6s}, {.no_rank_is_left = true}),
            "No rank has made progress for 6000 ms; all ranks have ended, and what started them "
            "has not.");
  EXPECT_EQ(sentence({.wall = 6s}, {.watched = 1, .of_job = 8}),
            "No rank has made progress for 6000 ms. The job has 8 ranks (WORLD_SIZE), and of these "
            "only 1 is watched: to watch all, if they run here, give -n 8.");
}

}  // namespace
}  // namespace gridlock::run
