// Threads that sleep outside recorded calls: they are dead only if nobody who can act can wake
// them.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

using record::Signals;
using record::Sleep;

constexpr record::ProcessKey kHelper = record::process_key(0, 200);

// The ranks wait for each other, and rank 0 handles a signal. Rank 1 has work left on the stream
// that is returned, and no thread outside of recorded waits.
World crossed_with_a_signal(std::uint32_t& stream) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.box.key = key(rank.box.rank);
    rank.join("second", rank.box.rank, 2);
    rank.in(rank.box.rank == 0 ? "world" : "second").all_reduce("x").device_synchronize();
  }
  world[0].box.signals = Signals::sent;
  stream = world[1].add_stream(false, true);
  return world;
}

struct Case {
  const char* name;
  World (*make)();
  bool dead;
  bool assumes = false;
  bool dead_strictly = true;
};
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

const Case kCases[] = {
    {"on_a_futex_of_its_own", [] { return absent({key(1)}); }, true},
    {"on_a_pipe_of_the_rank_that_waits", [] { return absent({key(0)}); }, true},
    {"nobody_looked",
     [] {
       World world = absent({});
       world[1].box.threads[0].sleep = {};
       return world;
     },
     false},
    {"a_waker_at_whom_nobody_looked", [] { return absent({kHelper}); }, false},
    {"one_of_two_wakers_can",
     [] {
       World world = absent({key(0), kHelper});
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"on_a_helper_that_runs",
     [] {
       World world = absent({kHelper});
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"on_a_helper_that_waits_for_it",
     [] {
       World world = absent({kHelper});
       add_other(world, 1, kHelper, sleeps({key(1)}));
       return world;
     },
     true},
    {"on_what_another_rank_can_open",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.by_anybody = true;
       add_other(world, 0, key(0), {});
       return world;
     },
     false},
    {"on_what_only_sleepers_can_open",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.by_anybody = true;
       world[1].box.threads[0].sleep.has_name = true;
       return world;
     },
     true, true, false},
    {"on_a_helper_that_another_rank_can_kill",
     [] {
       World world = absent({kHelper});
       Sleep sleep = sleeps({key(1)});
       sleep.by_anybody = true;
       add_other(world, 1, kHelper, sleep);
       add_other(world, 0, key(0), {});
       return world;
     },
     false},
    {"an_idle_thread_beside_one_that_waits",
     [] {
       World world = absent({key(1)});
       world[0].box.threads.push_back(world[1].box.threads[0]);
       world[0].box.threads[1].tid = 7;
       world[0].box.threads[1].sleep = sleeps({key(0)});
       return world;
     },
     true},
    // A thread that has made no recorded call runs, so it can wake the one that sleeps.
    {"another_thread_can_wake_it",
     [] {
       World world = absent({key(1)});
       add_other(world, 1, key(1), {});
       return world;
     },
     false},
    {"another_thread_sleeps_too",
     [] {
       World world = absent({key(1)});
       add_other(world, 1, key(1), sleeps({key(1)}));
       return world;
     },
     true},
    // The other thread waits in a call, so this one can only begin to make calls itself.
    {"another_thread_runs_beside_one_that_waits",
     [] {
       World world = absent({});
       world[1].exit(0);
       add_other(world, 0, key(0), {});
       return world;
     },
     true, true, false},
    {"another_thread_sleeps_beside_one_that_waits",
     [] {
       World world = absent({key(1)});
       add_other(world, 0, key(0), sleeps({key(0)}));
       return world;
     },
     true},
    {"the_device_may_wake_it",
     [] {
       World world = absent({key(1)});
       world[1].host_function("log").not_started();
       return world;
     },
     false},
    {"the_device_of_a_stuck_rank_sends_no_signal",
     [] {
       std::uint32_t stream = 0;
       World world = crossed_with_a_signal(stream);
       world[1].legacy_work(stream);
       return world;
     },
     true, true, false},
    {"a_host_function_of_a_stuck_rank_may_send_a_signal",
     [] {
       std::uint32_t stream = 0;
       World world = crossed_with_a_signal(stream);
       world[1].on(stream).host_function("log");
       return world;
     },
     false},
    {"a_timer_may_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::timed;
       return world;
     },
     false},
    {"nobody_is_left_to_send_a_signal",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::sent;
       return world;
     },
     true, true, false},
    {"a_helper_may_send_a_signal",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::sent;
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"a_launcher_does_not_send_it_a_signal",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::sent;
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true, true, false},
    {"a_helper_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"a_launcher_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.launchers = {kHelper};
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true, true, false},
    {"a_launcher_that_waits_for_it_asks_for_nothing",
     [] {
       World world = absent({key(1)});
       world[1].box.launchers = {kHelper};
       add_other(world, 1, kHelper, sleeps({key(1)}));
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true},
    {"a_helper_that_waits_for_it_asks_for_nothing",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       add_other(world, 1, kHelper, sleeps({key(1)}));
       return world;
     },
     true},
    {"nobody_looked_at_who_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       return world;
     },
     false},
    {"another_rank_may_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       add_other(world, 0, key(0), {});
       return world;
     },
     true, true, false},
    {"a_helper_may_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       add_other(world, 1, kHelper, {});
       return world;
     },
     true, true, false},
    {"a_launcher_does_not_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true},
    {"nobody_is_left_to_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       return world;
     },
     true},
    {"a_signal_that_it_waits_for_may_come_from_outside",
     [] {
       World world = absent({key(0), key(1)});
       world[1].box.threads[0].sleep.for_signal = true;
       return world;
     },
     true, true, false},
    {"a_signal_that_its_helper_waits_for_may_come_from_outside",
     [] {
       World world = absent({kHelper});
       add_other(world, 0, kHelper, sleeps({key(1)}));
       world[0].box.others.back().sleep.for_signal = true;
       return world;
     },
     true, true, false},
    {"a_helper_may_kill_the_rank_that_it_waits_for",
     [] {
       World world = absent({key(0)});
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"a_launcher_does_not_kill_the_rank_that_it_waits_for",
     [] {
       World world = absent({key(0)});
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true},
    {"a_library_may_hold_its_lock_for_a_moment",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.may_be_brief = true;
       return world;
     },
     true, true, false},
    {"a_library_may_hold_the_lock_of_another_thread",
     [] {
       World world = absent({});
       world[1].exit(0);
       Sleep sleep = sleeps({key(0)});
       sleep.may_be_brief = true;
       add_other(world, 0, key(0), sleep);
       return world;
     },
     true, true, false},
    {"cuda_unseen",
     [] {
       World world = absent({key(1)});
       world[1].box.cuda_unseen = true;
       return world;
     },
     false},
};

class Sleepers : public testing::TestWithParam<Case> {};

TEST_P(Sleepers, AreDeadWhereNobodyCanWakeThem) {
  World world = GetParam().make();
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome == Outcome::deadlock, GetParam().dead);
  EXPECT_EQ(!verdict.assumptions.empty(), GetParam().assumes);
  world.parameters.strict = true;
  EXPECT_EQ(world.verdict().outcome == Outcome::deadlock,
            GetParam().dead && GetParam().dead_strictly);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Sleepers, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

// The thread was awake between the looks, and is asleep again.
TEST(Sleepers, OneThatWasAwakeBetweenTheLooksUndoesTheProof) {
  World world = absent({kHelper});
  add_other(world, 1, kHelper, sleeps({key(1)}));
  Judge judge;
  judge.look(world.snapshots());
  world[1].box.threads[0].sleep.switches += 1;
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  world[1].box.others[0].sleep.switches += 1;
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  EXPECT_TRUE(judge.look(world.snapshots()).proven);
}

// Before the first look at the kernel, a signal's handler may have begun.
// Rank 0 was looked at, then a helper sent it a signal and ended, and then the helper was looked
// at.
TEST(Sleepers, AHelperThatHasEndedSinceUndoesTheProof) {
  World world = absent({key(1)});
  for (Rank& rank : world.ranks()) rank.box.handles_outer_signal = true;
  add_other(world, 0, kHelper, {});
  Judge judge(world.parameters);
  const auto before = world.snapshots();  // the judge refers to them
  judge.look(before);
  EXPECT_TRUE(judge.look(before).proven);
  EXPECT_FALSE(judge.verdict().assumptions.empty());
  world[0].box.others.clear();
  const auto after = world.snapshots();
  EXPECT_FALSE(judge.look(after).proven);
  EXPECT_TRUE(judge.look(after).proven);
  EXPECT_TRUE(judge.verdict().assumptions.empty());
}

TEST(Sleepers, AProofBesideHandlersNeedsTheKernelAtBothLooks) {
  World world = absent({});
  world[0].box.key = 0;
  world[1].exit(0);
  Judge judge;
  judge.look(world.snapshots());
  world[0].box.key = key(0);
  world[0].box.handles_outer_signal = true;
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  EXPECT_TRUE(judge.look(world.snapshots()).proven);
}

}  // namespace
}  // namespace gridlock::detect::states
