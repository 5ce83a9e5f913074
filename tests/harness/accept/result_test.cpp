// How many answers become one, and its exit code.
#include "harness/accept/result.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gridlock::accept {
namespace {

Acceptance all(std::vector<Result> results) {
  Acceptance acceptance;
  acceptance.planned = static_cast<int>(results.size());
  acceptance.results = std::move(results);
  return acceptance;
}

Result with(Answer answer) {
  Result result;
  result.answer = answer;
  return result;
}

TEST(AnswerOfAll, TheWorstThatIsKnown) {
  using enum Answer;
  EXPECT_EQ(answer_of(all({with(pass), with(pass)})), pass);
  EXPECT_EQ(answer_of(all({with(pass), with(inconclusive)})), inconclusive);
  EXPECT_EQ(answer_of(all({with(inconclusive), with(infrastructure)})), infrastructure);
  EXPECT_EQ(answer_of(all({with(infrastructure), with(fail)})), fail);
  EXPECT_EQ(answer_of(all({})), inconclusive);
}

TEST(AnswerOfAll, ExcusedAndUnneededDoNotCount) {
  Result excused = with(Answer::fail);
  excused.excuse = Excuse{.kind = Excuse::Kind::waived, .why = "known"};
  EXPECT_EQ(answer_of(all({with(Answer::pass), excused})), Answer::pass);
  Result skipped = with(Answer::inconclusive);
  skipped.was_run = false;
  EXPECT_EQ(answer_of(all({with(Answer::pass), skipped})), Answer::inconclusive);
  skipped.needed = false;
  EXPECT_EQ(answer_of(all({with(Answer::pass), skipped})), Answer::pass);
  EXPECT_EQ(answer_of(all({skipped})), Answer::inconclusive);  // nothing was looked at
}

TEST(AnswerOfAll, AnUnfinishedRunIsInconclusive) {
  Acceptance acceptance = all({with(Answer::pass)});
  acceptance.planned = 2;
  EXPECT_EQ(answer_of(acceptance), Answer::inconclusive);
}

TEST(ExitCodes, AreDistinct) {
  EXPECT_EQ(exit_code(Answer::pass), 0);
  EXPECT_EQ(exit_code(Answer::fail), 1);
  EXPECT_EQ(exit_code(Answer::infrastructure), 3);
  EXPECT_EQ(exit_code(Answer::inconclusive), 4);
}

}  // namespace
}  // namespace gridlock::accept
