// Threads that sleep outside recorded calls: they are dead only if nobody who can act can wake
// them.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

using record::Sleep;

constexpr const char* kFarEnd = "2>1";
constexpr record::ProcessKey kFarHelper = record::process_key(0x100, 200);

// As absent(), but rank 0 is on another host, and holds the far end of a connection there. Rank 1
// sleeps at the connection that has the name `at` at its far end. If rank 0 `runs`, a thread of it
// that has made no recorded call does.
World absent_at_far_end(const char* at, bool runs = false) {
  World world = absent({key(1)});
  world[0].box.key = record::process_key(0x100, 100);
  world[0].box.connections.push_back({.name = kFarEnd, .holder = world[0].box.key});
  world[1].box.threads[0].sleep.far_ends = {at};
  if (runs) add_other(world, 0, world[0].box.key, {});
  return world;
}

// Anybody of its host may wake rank 1. Rank 0, of which a thread without a recorded call runs, has
// another agent, on `host`.
World absent_beside_another_agent(const char* host) {
  World world = absent({key(1)});
  world[0].box.key = record::process_key(0x100, 100);
  world[0].box.host = host;
  world[1].box.host = "node1";
  world[1].box.threads[0].sleep.by_anybody = true;
  add_other(world, 0, world[0].box.key, {});
  return world;
}

// Rank 1's stream holds a receive that nobody answers. Another thread has put a host function on
// it.
World behind_stuck_work() {
  World world = absent({key(1)});
  for (int of = 0; of < 2; ++of) world[of].join("second", of, 2);
  Rank& rank = world[1];
  rank.in("second").recv(0, "not sent");
  rank.thread(rank.add_thread()).host_function("log");
  rank.box.threads[1].sleep = sleeps({key(1)});
  return world;
}

const SleepCase kSleepers[] = {
    {"anybody_of_another_agent_on_the_host", [] { return absent_beside_another_agent("node1"); },
     false},
    {"nobody_of_another_host", [] { return absent_beside_another_agent("node2"); }, true, true},
    {"anybody_of_an_agent_that_may_be_there", [] { return absent_beside_another_agent(""); },
     false},
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
    {"on_a_server_to_which_only_sleepers_can_connect",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.listens = true;
       return world;
     },
     true, true, false},
    {"on_a_server_to_which_another_rank_can_connect",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.listens = true;
       add_other(world, 0, key(0), {});
       return world;
     },
     false},
    {"on_a_server_to_which_a_rank_of_another_host_can_connect",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.listens = true;
       world[0].box.key = record::process_key(0x100, 1);
       add_other(world, 0, world[0].box.key, {});
       return world;
     },
     false},
    {"on_a_server_while_nobody_has_looked_at_another_rank",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.listens = true;
       world[0].box.key = 0;
       return world;
     },
     false},
    {"on_a_connection_whose_far_end_is_a_waiting_rank_s", [] { return absent_at_far_end(kFarEnd); },
     true},
    {"on_a_connection_whose_far_end_a_helper_holds_too",
     [] {
       World world = absent_at_far_end(kFarEnd);
       world[0].box.connections.push_back({.name = kFarEnd, .holder = kFarHelper});
       add_other(world, 0, kFarHelper, {});
       return world;
     },
     false},
    {"on_a_connection_whose_far_end_nobody_holds", [] { return absent_at_far_end("2>3"); }, false},
    {"on_a_connection_whose_far_end_a_running_rank_holds",
     [] { return absent_at_far_end(kFarEnd, true); }, false},
    {"with_a_far_time_limit",
     [] {
       World world = absent({key(1)});
       world[1].box.threads[0].sleep.has_far_limit = true;
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
    // Its device runs destructors on a thread that nobody counts.
    {"a_destructor_of_the_waiting_rank_may_wake_it",
     [] {
       World world = absent({key(0)});
       world[0].box.has_destructors = true;
       return world;
     },
     false},
    {"a_host_function_behind_stuck_work_does_not_wake_it", behind_stuck_work, true},
    {"a_host_function_whose_call_overlapped_may_wake_it",
     [] {
       World world = behind_stuck_work();
       world[1].box.operations.back().called = 0;  // it may be the first on the stream
       return world;
     },
     false},
    {"the_device_may_wake_it",
     [] {
       World world = absent({key(1)});
       world[1].host_function("log").not_started();
       return world;
     },
     false},
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

class Sleepers : public testing::TestWithParam<SleepCase> {};

TEST_P(Sleepers, AreDeadWhereNobodyCanWakeThem) { judge(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kinds, Sleepers, testing::ValuesIn(kSleepers),
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

// As absent(), with a third rank, which has ended. All helpers stand in its snapshot, because it is
// the agent's first.
World absent_beside_one_that_ended(Sleep helper) {
  World world(3);
  for (int rank = 0; rank < 3; ++rank) world[rank].box.key = key(rank);
  world[0].exit(0);
  world[1].all_reduce("gradients").device_synchronize();
  world[2].box.threads[0].sleep = sleeps({kHelper});
  add_other(world, 0, kHelper, std::move(helper));
  return world;
}

TEST(Sleepers, AHelperCountsBesideAnEndedRank) {
  World world = absent_beside_one_that_ended(sleeps({key(2)}));
  Judge judge(world.parameters);
  const auto before = world.snapshots();
  judge.look(before);
  world[0].box.others[0].sleep.switches += 1;
  const auto after = world.snapshots();
  EXPECT_FALSE(judge.look(after).proven) << "it was awake between the looks";
  EXPECT_TRUE(judge.look(after).proven);
  EXPECT_TRUE(judge.verdict().assumptions.empty());
}

TEST(Sleepers, WhatAHelperSleepsAtIsAssumedToStayClosedBesideAnEndedRank) {
  Sleep helper = sleeps({key(2)});
  helper.has_name = true;
  World world = absent_beside_one_that_ended(helper);
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.assumptions.size(), 1U);
}

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

}  // namespace
}  // namespace gridlock::detect::states
