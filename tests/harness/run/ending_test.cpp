// Verdicts on jobs that have ended by themselves.
#include "harness/run/ending.h"

#include <gtest/gtest.h>

#include <csignal>

#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"

namespace gridlock::run {
namespace {

using detect::Outcome;

RankEnd ended(bool signaled, int code) {
  RankEnd end;
  end.ending = processes::Ending{.signaled = signaled, .code = code};
  return end;
}

RankEnd left(int code) { return ended(false, code); }
RankEnd killed(int signal) { return ended(true, signal); }

RankEnd wrong() {
  RankEnd end = left(0);
  end.report.status = RankReport::Status::completed;
  end.report.numbers = RankReport::Numbers::wrong;
  end.report.numbers_detail = "max error 3";
  return end;
}

TEST(Ending, TheWorstEndDecides) {
  const detect::Ledger ledger;
  EXPECT_EQ(verdict_of_end({left(0), left(0)}, ledger).outcome, Outcome::completes);
  EXPECT_EQ(verdict_of_end({left(0), wrong()}, ledger).outcome, Outcome::corrupts);
  EXPECT_EQ(verdict_of_end({left(1), wrong()}, ledger).outcome, Outcome::fails);
  EXPECT_EQ(verdict_of_end({left(1), killed(SIGSEGV)}, ledger).outcome, Outcome::crashes);
}

TEST(Ending, KnowsAPortThatWasTaken) {
  Observation observation;
  EXPECT_FALSE(found_port_taken(observation));
  observation.ranks = {left(1), left(1)};
  observation.ranks[1].report.port_taken = true;  // only rank 0 listens
  EXPECT_FALSE(found_port_taken(observation));
  observation.ranks[0].report.reason = "Address already in use";  // words alone say nothing
  EXPECT_FALSE(found_port_taken(observation));
  observation.ranks[0].report.port_taken = true;
  EXPECT_TRUE(found_port_taken(observation));
}

TEST(Ending, NamesTheRanksAndWhatTheyDid) {
  const detect::Verdict verdict = verdict_of_end({left(0), left(7), left(7)}, detect::Ledger());
  EXPECT_EQ(verdict.culprits, (std::vector<int>{1, 2}));
  ASSERT_EQ(verdict.faults.size(), 1U);
  EXPECT_EQ(detect::text_of(verdict.faults.front().what), "exited with code 7");
}

record::Snapshot called(int rank, const char* label, std::uint8_t reduction) {
  record::Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.world_size = 3;
  record::Communicator& world = snapshot.communicators.emplace_back();
  world.id = 5;
  world.name = "world";
  world.size = 3;
  world.rank = rank;
  record::Operation operation;
  operation.call = record::Call::all_reduce;
  operation.communicator = 0;
  operation.reduction = reduction;
  operation.count = 8;
  operation.label = record::Label(label);
  snapshot.operations.push_back(operation);
  snapshot.recorded = 1;
  return snapshot;
}

TEST(Ending, OfALauncherBlamesNoRank) {
  const detect::Ledger ledger;
  const detect::Verdict failed = verdict_of_launcher({left(1), RankEnd{}}, ledger);
  EXPECT_EQ(failed.outcome, detect::Outcome::fails);
  EXPECT_TRUE(failed.culprits.empty());
  ASSERT_EQ(failed.notes.size(), 1U);
  EXPECT_EQ(detect::text_of(failed.notes.front()),
            "The launcher exited with code 1. Only it knows how the ranks ended.");
  EXPECT_EQ(verdict_of_launcher({killed(9), RankEnd{}}, ledger).outcome, detect::Outcome::crashes);
  EXPECT_EQ(verdict_of_launcher({left(0), RankEnd{}}, ledger).outcome, detect::Outcome::completes);
}

TEST(Ending, WrongNumbersAreBlamedOnWhoCalledSomethingElse) {
  detect::Ledger ledger;
  ledger.add(
      std::vector{called(0, "gradients", 0), called(1, "metric", 0), called(2, "gradients", 0)});
  const detect::Verdict verdict = verdict_of_end({wrong(), wrong(), wrong()}, ledger);
  EXPECT_EQ(verdict.outcome, Outcome::corrupts);
  EXPECT_EQ(verdict.cause, detect::Cause::mismatch);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{1}));
  EXPECT_EQ(verdict.waiting.size(), 2U);
}

TEST(Ending, DoesNotDependOnWhichRankWasLookedAtFirst) {
  detect::Ledger ledger;
  for (const int rank : {2, 1, 0}) ledger.add(std::vector{called(rank, "loss", rank == 2 ? 1 : 0)});
  const detect::Verdict verdict = verdict_of_end({wrong(), wrong(), wrong()}, ledger);
  ASSERT_EQ(verdict.waiting.size(), 2U);
  EXPECT_EQ(verdict.waiting.front().ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(verdict.waiting.back().ranks, (std::vector<int>{2}));
  EXPECT_EQ(verdict.culprits, (std::vector<int>{2}));
  // The explanation names what differs.
  for (const char* side : {"ranks 0, 1 called all_reduce", "sum)", "rank 2 called", "product)"}) {
    EXPECT_NE(explanation(verdict).find(side), std::string::npos) << explanation(verdict);
  }
}

TEST(Ending, CallsThatDoNotFitCorruptARunThatNobodyChecks) {
  detect::Ledger ledger;
  ledger.add(std::vector{called(0, "loss", 0), called(1, "loss", 2), called(2, "loss", 0)});
  const detect::Verdict verdict = verdict_of_end({left(0), left(0), left(0)}, ledger);
  EXPECT_EQ(verdict.outcome, Outcome::corrupts);
  EXPECT_EQ(verdict.cause, detect::Cause::mismatch);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{1}));
  EXPECT_EQ(verdict.waiting.size(), 2U);
  EXPECT_TRUE(verdict.divergence);
}

TEST(Ending, OfAHangThatTheJobEndedIsBlamedOnTheHang) {
  detect::Verdict before;
  before.outcome = Outcome::stall;
  before.cause = detect::Cause::missing_rank;
  before.culprits = {0};
  before.waiting.push_back({});
  before.faults.push_back({.ranks = {0}, .what = detect::phrase::HasClosed{}});
  detect::Verdict end = verdict_of_end({left(0), killed(SIGABRT)}, detect::Ledger());
  blame_standstill(before, {1}, end);
  EXPECT_EQ(end.outcome, Outcome::crashes);
  EXPECT_EQ(end.cause, detect::Cause::missing_rank);
  EXPECT_EQ(end.culprits, std::vector<int>{0});
  EXPECT_EQ(end.faults.size(), 2U);
  EXPECT_NE(explanation(end).find("until rank 1 aborted"), std::string::npos) << explanation(end);

  detect::Verdict well = verdict_of_end({left(0), left(0)}, detect::Ledger());
  blame_standstill(before, {1}, well);
  EXPECT_TRUE(well.culprits.empty());
}

TEST(Ending, LabelsThatDifferAreNoFaultOfARunThatIsRight) {
  detect::Ledger ledger;
  ledger.add(std::vector{called(0, "a", 0), called(1, "b", 0), called(2, "a", 0)});
  const detect::Verdict verdict = verdict_of_end({left(0), left(0), left(0)}, ledger);
  EXPECT_EQ(verdict.outcome, Outcome::completes);
  EXPECT_TRUE(verdict.culprits.empty());
}

}  // namespace
}  // namespace gridlock::run
