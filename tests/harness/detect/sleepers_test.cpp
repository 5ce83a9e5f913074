// Threads that sleep outside recorded calls: they are dead only if nobody who can act can wake
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "harness/detect/findings/picture.h"
#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

using record::Signals;
using record::Sleep;

constexpr record::ProcessKey key(int rank) { return record::process_key(0, 100 + rank); }
constexpr record::ProcessKey kHelper = record::process_key(0, 200);
constexpr record::ProcessKey kLauncher = record::process_key(0, 1);

Sleep sleeps(std::vector<record::ProcessKey> wakers) {
  return {.asleep = true, .wakers = std::move(wakers), .switches = 3, .on = "a futex"};
}

// Rank 1 never calls the second all-reduce, in which rank 0 waits. Its thread is asleep elsewhere
// until `wakers` do something. The kernel's view of both ranks is known.
World absent(std::vector<record::ProcessKey> wakers) {
  World world(2);
  for (int rank = 0; rank < 2; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
  }
  world[0].all_reduce("gradients").device_synchronize();
  world[1].box.threads[0].sleep = sleeps(std::move(wakers));
  return world;
}

void add_other(World& world, int rank, record::ProcessKey process, Sleep sleep) {
  world[rank].box.others.push_back({.tid = 1, .process = process, .sleep = std::move(sleep)});
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
    {"a_helper_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
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

TEST(Sleepers, TheOneThatIsAsleepElsewhereIsToBlame) {
  World world = absent({key(1)});
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
}

// Rank 0 might send the signal, but nothing says that it ought to.
TEST(Sleepers, WhoWaitsForASignalIsToBlameItself) {
  World world = absent({key(0), key(1)});
  world[1].box.threads[0].sleep.for_signal = true;
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
}

TEST(Sleepers, WhoCanOnlyBeWokenByTheRankThatWaitsIsOnACycle) {
  World world = absent({key(0)});
  world[1].box.threads[0].sleep.on = "a pipe";
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::cycle);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1}));
  ASSERT_EQ(verdict.cycle.size(), 3U);
  EXPECT_EQ(text_of(verdict.cycle[1]), "rank 1 (asleep on a pipe)");
  const std::vector<record::Snapshot> snapshots = world.snapshots();
  Ledger ledger;
  ledger.add(snapshots);
  const WaitPicture drawn = picture_of(snapshots, world.parameters, ledger, verdict);
  const auto edge =
      std::ranges::find(drawn.edges, WaitPicture::Kind::wakes, &WaitPicture::Edge::kind);
  ASSERT_NE(edge, drawn.edges.end());
  EXPECT_EQ(drawn.nodes[edge->from].ranks, std::vector<int>{1});
  EXPECT_EQ(drawn.nodes[edge->to].ranks, std::vector<int>{0});
}

TEST(Sleepers, WhoCanOnlyWakeEachOtherAreOnACycle) {
  World world(3);
  for (int rank = 0; rank < 3; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
  }
  world[0].all_reduce("gradients").device_synchronize();
  world[1].box.threads[0].sleep = sleeps({key(2)});
  world[2].box.threads[0].sleep = sleeps({key(1)});
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::cycle);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{1, 2}));
}

// Ranks 1 to 3 wait for rank 0. It sleeps until rank 4 acts, and that one until rank 1 does. Rank 4
// is neither missed nor to blame, but part of the picture.
TEST(Sleepers, EveryRankOfACycleIsDrawn) {
  World world(5);
  for (int rank = 0; rank < 5; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
  }
  for (int rank = 0; rank < 4; ++rank) world[rank].join("four", rank, 4).in("four");
  for (Rank* rank : world.some(1, 3)) rank->all_reduce("gradients").device_synchronize();
  world[0].box.threads[0].sleep = sleeps({key(4)});
  world[4].box.threads[0].sleep = sleeps({key(1)});
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  const std::vector<record::Snapshot> snapshots = world.snapshots();
  Ledger ledger;
  ledger.add(snapshots);
  const WaitPicture drawn = picture_of(snapshots, world.parameters, ledger, verdict);
  EXPECT_TRUE(std::ranges::any_of(
      drawn.nodes, [](const auto& node) { return node.ranks == std::vector<int>{4}; }));
  for (const WaitPicture::Edge& edge : drawn.edges) {
    EXPECT_LT(edge.from, drawn.nodes.size());
    EXPECT_LT(edge.to, drawn.nodes.size());
  }
}

// A thread on a lock of its own process needs no other rank.
TEST(Sleepers, WithAThreadOnItsOwnLockAreNotHeldByOtherRanks) {
  World world = absent({key(0)});
  record::Thread other = world[1].box.threads[0];
  other.tid += 1;
  other.sleep = sleeps({key(1)});
  world[1].box.threads.push_back(other);
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{1}));
}

TEST(Outsiders, MayJoinACommunicatorOfMoreThanTheRanks) {
  World world(1);
  world[0].join("pair", 0, 2, record::CommunicatorState::initialising);
  world[0].in("pair").communicator_call(Call::comm_init);
  EXPECT_TRUE(world.verdict().assumptions.empty());
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  world.parameters.outsiders = true;
  EXPECT_EQ(world.verdict().assumptions.size(), 1U);
  world.parameters.strict = true;
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
}

World lost_under_a_launcher() {
  World world(2);
  world[0].box.key = key(0);
  world[0].all_reduce("gradients").device_synchronize();
  world[1].exit(1);
  world[1].box.launcher = kLauncher;
  world[1].box.gone_ns = 1000;
  world.parameters.now_ns = 2000;
  world.parameters.restart_ns = 5000;
  return world;
}

TEST(Launcher, MayStartAllAnewWhileItCanAct) {
  World world = lost_under_a_launcher();
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock) << "nobody looked at it";
  add_other(world, 0, kLauncher, {});
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
  world.parameters.now_ns = 7000;
  const Verdict late = world.verdict();
  EXPECT_EQ(late.outcome, Outcome::deadlock);
  EXPECT_EQ(late.assumptions.size(), 1U);
  world.parameters.strict = true;
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
}

TEST(Launcher, ThatWaitsForItsRanksStartsNothing) {
  World world = lost_under_a_launcher();
  add_other(world, 0, kLauncher, sleeps({key(0)}));
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
  EXPECT_TRUE(verdict.assumptions.empty());
}

}  // namespace
}  // namespace gridlock::detect::states
