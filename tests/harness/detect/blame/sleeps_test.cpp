// Whom a rank waits for that sleeps outside recorded calls, and what is drawn of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/detect/findings/picture.h"
#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

TEST(Sleepers, TheOneThatIsAsleepElsewhereIsToBlame) {
  World world = absent({key(1)});
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::host_stuck);
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
}

TEST(Sleepers, WhoSleepsForGoodIsToBlameAlsoIfNoRankWaits) {
  World world(2);
  world[0].box.process = record::ProcessState::exited;
  world[1].box.key = key(1);
  world[1].box.pid = 101;
  world[1].box.threads[0].sleep = sleeps({key(1)});
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
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

TEST(Sleepers, SoIsWhoWaitsForAHelperThatWaitsForASignal) {
  World world = absent({kHelper});
  record::Sleep sleep = sleeps({key(0), key(1)});
  sleep.for_signal = true;
  add_other(world, 1, kHelper, sleep);
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
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1, 4}));  // rank 0 may be a victim of rank 4
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

// Nearly every trainer has an idle worker, which waits for its own process.
TEST(Sleepers, WithAnIdleThreadWaitForWhomTheOthersWaitFor) {
  World world = absent({key(0)});
  record::Thread idle = world[1].box.threads[0];
  idle.tid += 1;
  idle.sleep = sleeps({key(1)});
  world[1].box.threads.push_back(idle);
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::cycle);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1}));
}

record::Sleep reads_from(std::vector<record::ProcessKey> wakers) {
  record::Sleep sleep = sleeps(std::move(wakers));
  sleep.on = "descriptor 5";
  sleep.may_idle = false;
  sleep.at_one_file = true;
  return sleep;
}

// Rank 1's main thread is a client of a server in its own process, which waits for rank 0.
TEST(Sleepers, WaitForTheClientsOfAServerOfTheirOwn) {
  World world = absent({key(1)});
  world[1].box.threads[0].sleep = reads_from({key(1)});
  add_other(world, 1, key(1), reads_from({key(0)}));
  EXPECT_EQ(world.verdict().cause, Cause::cycle);
}

// Rank 1's main thread waits at a futex: for a queue, which a reader fills.
TEST(Sleepers, WaitForWhomAReaderOfTheirOwnWaitsFor) {
  World world = absent({key(1)});
  world[1].box.threads[0].sleep = sleeps({key(1)});
  add_other(world, 1, key(1), reads_from({key(0)}));
  EXPECT_EQ(world.verdict().cause, Cause::cycle);
  EXPECT_EQ(world.verdict().culprits, (std::vector<int>{0, 1}));
  world[1].box.others.back().sleep.at_one_file = false;
  EXPECT_EQ(world.verdict().cause, Cause::host_stuck) << "an event loop has other work too";
  world[1].box.others.back().sleep.at_one_file = true;
  world[1].box.threads[0].sleep.held_by = 100;
  EXPECT_EQ(world.verdict().cause, Cause::host_stuck) << "it waits for a lock, held by another";
  world[1].box.others.back().tid = 100;
  EXPECT_EQ(world.verdict().cause, Cause::cycle) << "the reader holds it";
}

// Rank 0 has a reader for each of the others, and one of these does not send what it should. Any of
// them may be the one.
TEST(Sleepers, WhoWaitsForAnyOfSeveralIsNotToBlameAlone) {
  World world(4);
  for (int rank = 0; rank < 4; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
    if (rank > 0) world[rank].all_reduce("gradients").device_synchronize();
  }
  world[0].box.threads[0].sleep = sleeps({key(0)});
  for (int rank = 1; rank < 4; ++rank) add_other(world, 0, key(0), reads_from({key(rank)}));
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.cause, Cause::cycle);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1, 2, 3}));
}

// Each of the `asleep` waits at a futex for its event loop, which hears of all other ranks. The
// other ranks wait in an all-reduce.
World barrier_by_event_loops(int ranks, const std::vector<int>& asleep) {
  World world(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
    if (std::ranges::find(asleep, rank) == asleep.end()) {
      world[rank].all_reduce("gradients").device_synchronize();
      continue;
    }
    world[rank].box.threads[0].sleep = sleeps({key(rank)});
    std::vector<record::ProcessKey> peers;
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer != rank) peers.push_back(key(peer));
    }
    record::Sleep loop = reads_from(peers);
    loop.at_one_file = false;
    add_other(world, rank, key(rank), loop);
  }
  return world;
}

// Gloo's barrier has this form.
TEST(Sleepers, WhoIsAloneInARecordedCallLeftOutWhatMostWaitForByEventLoops) {
  const Verdict verdict = barrier_by_event_loops(4, {0, 1, 3}).verdict();
  EXPECT_EQ(verdict.cause, Cause::missing_rank);
  EXPECT_EQ(verdict.culprits, std::vector<int>{2});
  EXPECT_NE(explanation(verdict).find("Ranks 0, 1, 3 sleep at a futex, which does not say for "
                                      "whom: that is taken from their event loops."),
            std::string::npos)
      << explanation(verdict);
}

// Gloo's loops look every 10 ms whether they are to end.
TEST(Sleepers, EventLoopsThatGoRoundAreTakenForTheSame) {
  World world = barrier_by_event_loops(4, {0, 1, 3});
  for (const int rank : {0, 1, 3}) {
    record::Sleep& loop = world[rank].box.others.back().sleep;
    loop = nap(loop.wakers);
  }
  EXPECT_EQ(world.verdict().cause, Cause::missing_rank);
  EXPECT_EQ(world.verdict().culprits, std::vector<int>{2});
}

// Such a loop may as well be idle.
TEST(Sleepers, EventLoopsOfAMinorityBlameNobodyElse) {
  const Verdict half = barrier_by_event_loops(4, {0, 1}).verdict();
  EXPECT_EQ(half.cause, Cause::host_stuck);
  EXPECT_EQ(half.culprits, (std::vector<int>{0, 1}));
  World held = barrier_by_event_loops(4, {0, 1, 3});
  for (const int rank : {0, 1, 3}) held[rank].box.threads[0].sleep.held_by = 1;
  for (const int rank : {0, 1, 3}) held[rank].box.others.back().tid = 2;
  EXPECT_EQ(held.verdict().cause, Cause::host_stuck) << "each waits for a lock of its own";
}

// Rank 1 waits for a helper, which waits for rank 0.
TEST(Sleepers, WaitForWhomTheirHelpersWaitFor) {
  constexpr record::ProcessKey kHelper = 7;
  World world = absent({kHelper});
  add_other(world, 1, kHelper, reads_from({key(0)}));
  EXPECT_EQ(world.verdict().cause, Cause::cycle);
  world[1].box.others.back().sleep = reads_from({kHelper});
  EXPECT_EQ(world.verdict().cause, Cause::host_stuck);
}

}  // namespace
}  // namespace gridlock::detect::states
