// The ledger matches slots as calls arrive, in whatever portions.
#include "harness/detect/calls/ledger.h"

#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

// Only what `ledger` has not seen, as the reader gives it; completed operations are left out.
std::vector<record::Snapshot> portion(World& world, const Ledger& ledger) {
  std::vector<record::Snapshot> shown = world.snapshots();
  for (record::Snapshot& snapshot : shown) {
    std::erase_if(snapshot.operations, [&](const record::Operation& operation) {
      return operation.index < ledger.next_index(snapshot.rank) &&
             operation.position <= snapshot.streams[operation.stream].completed;
    });
  }
  return shown;
}

TEST(Ledger, FindsAMismatchAsSoonAsBothHaveCalled) {
  World world(3);
  Ledger ledger;
  world[0].all_reduce("a").all_reduce("b");
  ledger.add(portion(world, ledger));
  EXPECT_TRUE(ledger.mismatches().empty());
  world[1].all_reduce("a").count(5).all_reduce("b");
  ledger.add(portion(world, ledger));
  ASSERT_EQ(ledger.mismatches().size(), 1U);
  const Disagreement& found = ledger.mismatches().front();
  EXPECT_EQ(found.difference, Difference::fatal);
  EXPECT_EQ(found.slot, 1U);
  EXPECT_EQ(found.communicator, "world");
  // The third one joins its side later.
  world[2].all_reduce("a").all_reduce("b");
  ledger.add(portion(world, ledger));
  ASSERT_EQ(found.sides.size(), 2U);
  EXPECT_EQ(found.sides[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(found.sides[1].ranks, std::vector<int>{1});
}

TEST(Ledger, ACallThatFailsLeavesNoTrace) {
  World world(2);
  Ledger ledger;
  world[0].all_reduce("a");
  world[1].count(5).all_reduce("a");
  std::vector<record::Snapshot> shown = world.snapshots();
  shown[1].operations.back().open = true;  // NCCL has not said yet what it thinks of it
  ledger.add(shown);
  EXPECT_EQ(ledger.next_index(shown[1].rank), shown[1].operations.back().index);
  shown[1].operations.back().open = false;
  shown[1].operations.back().result = 4;
  ledger.add(shown);
  EXPECT_TRUE(ledger.mismatches().empty());
  EXPECT_GT(ledger.next_index(shown[1].rank), shown[1].operations.back().index);
  EXPECT_TRUE(ledger.complete(shown[1].rank));
}

TEST(Ledger, ACallThatIsOpenHoldsUpNoOtherThreads) {
  World world(2);
  Ledger ledger;
  for (Rank& rank : world.ranks()) rank.join("second", rank.box.rank, 2);
  world[0].in("second").all_reduce("open").in("world").all_reduce("a");
  world[1].count(5).all_reduce("a");
  std::vector<record::Snapshot> shown = world.snapshots();
  shown[0].operations.front().open = true;
  ledger.add(shown);
  ledger.add(shown);
  EXPECT_EQ(ledger.next_index(0), 0U);
  ASSERT_EQ(ledger.mismatches().size(), 1U);
  EXPECT_EQ(ledger.mismatches().front().sides.size(), 2U);
  shown[0].operations.front().open = false;
  ledger.add(shown);
  EXPECT_EQ(ledger.next_index(0), 2U);
  EXPECT_TRUE(ledger.complete(0));
}

TEST(Ledger, TellsNumbersFromFatal) {
  World world(2);
  Ledger ledger;
  world[0].reduction(0).all_reduce("x");
  world[1].reduction(3).all_reduce("x");
  ledger.add(world.snapshots());
  ASSERT_EQ(ledger.mismatches().size(), 1U);
  EXPECT_EQ(ledger.mismatches().front().difference, Difference::numbers);
}

TEST(Ledger, WhatOneProgramOfMpiCallsDoesNotFitTheNext) {
  World world = with_mpi(2);
  for (Rank& rank : world.ranks()) rank.box.claim = 1;
  Ledger ledger;
  world[0].mpi(Call::mpi_barrier, "first");
  ledger.add(world.snapshots());
  World next = with_mpi(2);
  for (Rank& rank : next.ranks()) rank.box.claim = 2;
  next[1].mpi(Call::mpi_bcast, "second", 0);
  ledger.add(next.snapshots());  // its box has another owner
  ledger.add(next.snapshots());
  EXPECT_TRUE(ledger.mismatches().empty());
}

TEST(Ledger, KeepsLabelsApart) {
  World world(2);
  Ledger ledger;
  world[0].all_reduce("gradients/bucket 0");
  world[1].all_reduce("validation/metric");
  ledger.add(world.snapshots());
  EXPECT_TRUE(ledger.mismatches().empty());
  ASSERT_EQ(ledger.label_disagreements().size(), 1U);
  EXPECT_EQ(ledger.label_disagreements().front().difference, Difference::label);
}

TEST(Ledger, SeesNothingTwice) {
  World world(2);
  Ledger ledger;
  for (Rank& rank : world.ranks()) rank.all_reduce("x").send(1 - rank.box.rank);
  for (int look = 0; look < 3; ++look) ledger.add(world.snapshots());
  EXPECT_TRUE(ledger.mismatches().empty());
  EXPECT_EQ(ledger.next_index(0), 2U);
  EXPECT_TRUE(ledger.complete(0));
}

TEST(Ledger, AnotherProgramOfTheRankIsCountedFromItsBeginning) {
  World first(2);
  Ledger ledger;
  for (Rank& rank : first.ranks()) {
    rank.box.claim = 1;
    rank.all_reduce("x").all_reduce("x").all_reduce("x");
  }
  ledger.add(portion(first, ledger));
  World second(2);
  for (Rank& rank : second.ranks()) {
    rank.box.claim = 2;
    rank.send(1 - rank.box.rank, "m");
  }
  ledger.add(portion(second, ledger));  // asked for from 3 on, so it shows nothing
  EXPECT_EQ(ledger.next_index(0), 0U);
  const std::uint64_t id = second.snapshots()[0].communicators.at(0).id;
  ledger.add(portion(second, ledger));
  EXPECT_EQ(ledger.messages(id, 0, 1, true), 1U);
  EXPECT_EQ(ledger.next_index(0), 1U);
  EXPECT_TRUE(ledger.complete(0));
}

TEST(Ledger, NoticesWhatItHasMissed) {
  World world(1);
  Ledger ledger;
  world[0].all_reduce("x").all_reduce("x").all_reduce("x");
  auto shown = world.snapshots();
  shown[0].operations.erase(shown[0].operations.begin(), shown[0].operations.begin() + 2);
  ledger.add(shown);
  EXPECT_FALSE(ledger.complete(0));
}

TEST(Ledger, ComparesTheSizesOfMessages) {
  World world(2);
  Ledger ledger;
  world[0].count(5).send(1, "m");
  world[1].count(6).recv(0, "m");
  ledger.add(world.snapshots());
  ASSERT_NE(ledger.mismatch(ledger.mismatches().front().communicator_id, 0, 0, 1), nullptr);
  EXPECT_EQ(ledger.mismatches().front().difference, Difference::fatal);
}

// A message that was sent and is past is no longer shown. Only the ledger knows about it.
TEST(Judge, RemembersMessagesThatArePast) {
  World world(2);
  Judge judge;
  world[0].send(1).all_done();
  judge.look(portion(world, judge.ledger()));
  world[0].device_synchronize();
  world[1].recv(0).device_synchronize();
  for (int look = 0; look < 3; ++look) {
    EXPECT_TRUE(judge.look(portion(world, judge.ledger())).dead.empty());
  }
}

TEST(Judge, RemembersCallsThatArePast) {  // a root that sent something else and went on
  World world(3);
  Judge judge;
  world[0].broadcast("weights").all_done();
  judge.look(portion(world, judge.ledger()));
  world[0].exit(0);
  for (Rank* rank : world.some(1, 2)) rank->count(9).broadcast("weights").device_synchronize();
  judge.look(portion(world, judge.ledger()));
  const auto shown = portion(world, judge.ledger());  // the verdict reads it
  ASSERT_TRUE(judge.look(shown).proven);
  const Verdict verdict = judge.verdict();
  EXPECT_EQ(verdict.cause, Cause::mismatch);
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
}

TEST(Judge, RemembersWhatFillsTheBuffer) {
  World world(2);
  Judge judge;
  for (Rank& rank : world.ranks()) {
    rank.count(kLarge / 8).send(1 - rank.box.rank).send(1 - rank.box.rank).all_done();
  }
  judge.look(portion(world, judge.ledger()));
  for (Rank& rank : world.ranks()) {
    rank.send(1 - rank.box.rank).recv(1 - rank.box.rank).device_synchronize();
  }
  judge.look(portion(world, judge.ledger()));
  const auto shown = portion(world, judge.ledger());  // the verdict reads it
  EXPECT_TRUE(judge.look(shown).proven);
  EXPECT_EQ(judge.verdict().cause, Cause::cycle);
}

}  // namespace
}  // namespace gridlock::detect::states
