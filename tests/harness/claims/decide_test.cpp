// How runs become answers: what is missing, what disagrees, what differs from the prediction.
#include "harness/claims/decide.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/harness/claims/sessions.h"

namespace gridlock::claims {
namespace {

using detect::Outcome;

Decided answer(const std::string& id, const report::Results& results) {
  std::vector<std::string> unknown;
  const auto decided = decide(select({id}, unknown), results);
  EXPECT_EQ(decided.size(), 1U) << id;
  return decided.at(0);
}

Sessions empty_batch(Outcome early_return) {
  Sessions sessions;
  sessions.add("empty_batch_return/return_before_forward", early_return);
  sessions.completes("empty_batch_return/zero_gradients");
  sessions.completes("empty_batch_return/skip_by_agreement");
  return sessions;
}

TEST(Claims, AreAllThereAndDistinct) {
  std::set<std::string_view> ids;
  for (const Claim& claim : all_claims()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.says.empty()) << claim.id;
    EXPECT_FALSE(claim.variants.empty()) << claim.id;
  }
  EXPECT_EQ(ids.size(), 45U);
  for (const auto& [note, count] : {std::pair{'A', 8}, {'B', 9}, {'C', 9}, {'D', 9}, {'E', 10}}) {
    for (int i = 1; i <= count; ++i) {
      EXPECT_TRUE(ids.contains(note + std::to_string(i))) << note << i;
    }
  }
}

TEST(Claims, AreAllUndecidedWithoutRuns) {
  std::vector<std::string> unknown;
  for (const Decided& decided : decide(select({}, unknown), {})) {
    EXPECT_EQ(decided.answer.kind, Kind::undecided) << decided.claim->id;
    EXPECT_FALSE(decided.as_predicted.has_value()) << decided.claim->id;
    EXPECT_NE(decided.answer.found.find("no run of"), std::string::npos) << decided.answer.found;
  }
}

TEST(Select, TakesIdsLettersAndSmallLetters) {
  std::vector<std::string> unknown;
  EXPECT_EQ(select({"a5"}, unknown).at(0)->id, "A5");
  EXPECT_EQ(select({"E"}, unknown).size(), 10U);
  EXPECT_EQ(select({"E1"}, unknown).size(), 1U);
  EXPECT_TRUE(unknown.empty());
  select({"A5", "F1", "A55"}, unknown);
  EXPECT_EQ(unknown, (std::vector<std::string>{"F1", "A55"}));
}

TEST(Decide, RunsWinOverThePrediction) {
  Sessions hangs = empty_batch(Outcome::deadlock);
  EXPECT_EQ(answer("C5", hangs.results()).answer.kind, Kind::refuted);
  EXPECT_EQ(answer("C5", hangs.results()).as_predicted, true);
  Sessions completes = empty_batch(Outcome::completes);
  EXPECT_EQ(answer("C5", completes.results()).answer.kind, Kind::confirmed);
  EXPECT_EQ(answer("C5", completes.results()).as_predicted, false);
}

TEST(Decide, ShowsTheRunsThatDecided) {
  Sessions sessions = empty_batch(Outcome::deadlock);
  sessions.hangs("uneven_batches/peers_leave");
  const Decided decided = answer("C5", sessions.results());
  ASSERT_EQ(decided.shown_by.size(), 3U);
  EXPECT_EQ(decided.shown_by[0].name, "empty_batch_return/return_before_forward");
}

TEST(Decide, NamesWhatIsMissingAndWhy) {
  Sessions sessions = empty_batch(Outcome::deadlock);
  sessions.results().runs[1].status = report::Status::skipped;
  sessions.results().runs[1].reason = "needs at least 5 ranks";
  sessions.results().runs[2].status = report::Status::error;
  sessions.results().runs[2].reason = "no memory";
  const Decided decided = answer("C5", sessions.results());
  EXPECT_EQ(decided.answer.kind, Kind::undecided);
  EXPECT_EQ(decided.answer.found,
            "empty_batch_return/zero_gradients: skipped: needs at least 5 ranks; "
            "empty_batch_return/skip_by_agreement: harness error: no memory");
}

TEST(Decide, IsOpenWhereRepetitionsDisagree) {
  Sessions sessions = empty_batch(Outcome::deadlock);
  sessions.completes("empty_batch_return/return_before_forward");
  const Decided decided = answer("C5", sessions.results());
  EXPECT_EQ(decided.answer.kind, Kind::undecided);
  EXPECT_NE(decided.answer.found.find("disagree"), std::string::npos) << decided.answer.found;
  // A stall and a deadlock are both hangs.
  Sessions same = empty_batch(Outcome::deadlock);
  same.add("empty_batch_return/return_before_forward", Outcome::stall);
  EXPECT_EQ(answer("C5", same.results()).answer.kind, Kind::refuted);
}

TEST(Needed, IsAskedForOnceAndWithTheRanksThatAClaimFixes) {
  std::vector<std::string> unknown;
  const auto needed = needed_for(select({"C1", "C2", "E5"}, unknown));
  const auto count = [&](int ranks) {
    return std::count(needed.begin(), needed.end(),
                      Needed{.variant = "healthy_training/trains", .ranks = ranks});
  };
  EXPECT_EQ(count(0), 1);
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(8), 1);
}

TEST(Needed, ACompleteLadderHasAllItsRanks) {
  Sessions sessions;
  for (const int ranks : {1, 2, 4}) {
    sessions.add("healthy_training/trains", Outcome::completes, "control").ranks = ranks;
  }
  EXPECT_EQ(answer("E5", sessions.results()).answer.found,
            "no run of healthy_training/trains with 8 ranks");
  sessions.add("healthy_training/trains", Outcome::completes, "control").ranks = 8;
  EXPECT_EQ(answer("E5", sessions.results()).answer.kind, Kind::confirmed);
}

}  // namespace
}  // namespace gridlock::claims
