// Each step of the score, and who counts as wrongly accused.
#include "harness/detect/verdict/score.h"

#include <gtest/gtest.h>

namespace gridlock::detect {
namespace {

Verdict right() {
  Verdict verdict;
  verdict.outcome = Outcome::deadlock;
  verdict.cause = Cause::rank_exited;
  verdict.culprits = {3};
  Wait wait;
  wait.ranks = {0, 1, 2};
  wait.operation = record::Call::all_reduce;
  wait.host_call = record::Call::device_synchronize;
  wait.communicator = "world";
  wait.slot = 41;
  wait.label = "gradients";
  wait.caller = "gridlock::reduce(int) (trainer.cpp:88)";
  verdict.waiting = {wait};
  return verdict;
}

Expectation declared() {
  Expectation expectation;
  expectation.outcomes = {Outcome::deadlock};
  expectation.cause = Cause::rank_exited;
  expectation.culprits = {3};
  Expectation::Wait wait;
  wait.ranks = std::vector<int>{2, 1, 0};
  wait.operation = record::Call::all_reduce;
  wait.communicator = "world";
  wait.slot = 41;
  wait.label = "gradients";
  wait.caller = "reduce";
  expectation.waiting = {wait};
  return expectation;
}

TEST(Score, AllRight) {
  EXPECT_EQ(score(right(), declared()).steps, 5);
  EXPECT_EQ(score(right(), declared()).noise, 0);
}

TEST(Score, EachStep) {
  Verdict verdict = right();
  verdict.waiting[0].caller = "gridlock::all_reduce_all(int) (trainer.cpp:88)";
  EXPECT_EQ(score(verdict, declared()).steps, 4);
  verdict.culprits = {2};
  EXPECT_EQ(score(verdict, declared()).steps, 3);
  EXPECT_EQ(score(verdict, declared()).noise, 1);
  verdict.waiting[0].slot = 40;
  EXPECT_EQ(score(verdict, declared()).steps, 2);
  verdict.cause = Cause::cycle;
  EXPECT_EQ(score(verdict, declared()).steps, 1);
  verdict.outcome = Outcome::stall;
  EXPECT_EQ(score(verdict, declared()).steps, 1);
  verdict.outcome = Outcome::completes;
  EXPECT_EQ(score(verdict, declared()).steps, 0);
}

TEST(Score, APlaceIsOnOneCommunicator) {
  Verdict verdict = right();
  verdict.waiting[0].communicator = "experts";
  EXPECT_EQ(score(verdict, declared()).steps, 2);
}

TEST(Score, AllDeclaredRanksWaitAtAPlace) {
  Verdict verdict = right();
  verdict.waiting[0].ranks = {0, 1};
  EXPECT_EQ(score(verdict, declared()).steps, 2);
  Expectation of_any = declared();
  of_any.waiting[0].ranks.reset();
  EXPECT_EQ(score(verdict, of_any).steps, 5);
}

TEST(Score, OnlyDeclaredRanksWaitInACall) {
  Expectation of_two = declared();
  of_two.waiting[0].ranks = std::vector<int>{0, 1};
  EXPECT_EQ(score(right(), of_two).steps, 4);
}

TEST(Score, ACallerIsAWholeName) {
  Verdict verdict = right();
  verdict.waiting[0].caller = "gridlock::all_reduce(int) (trainer.cpp:88)";
  EXPECT_EQ(score(verdict, declared()).steps, 4);
  verdict.waiting[0].caller = "reduce (trainer.cpp:88)";
  EXPECT_EQ(score(verdict, declared()).steps, 5);
}

TEST(Score, OutcomesHaveNames) {
  EXPECT_EQ(to_string(Outcome::deadlock), "deadlock");
  EXPECT_EQ(to_string(Outcome::stall), "stall");
  EXPECT_EQ(to_string(Outcome::crashes), "crashes");
  EXPECT_EQ(to_string(Outcome::fails), "fails");
  EXPECT_EQ(to_string(Outcome::corrupts), "corrupts");
  EXPECT_EQ(to_string(Outcome::completes), "completes");
}

TEST(Score, AccusingOneMoreIsNotRight) {
  Verdict verdict = right();
  verdict.culprits = {2, 3};
  EXPECT_EQ(score(verdict, declared()).steps, 4);
  EXPECT_EQ(score(verdict, declared()).noise, 1);
}

TEST(Score, GroupsOfOnePlaceCountTogether) {
  Verdict verdict = right();
  verdict.waiting.push_back(verdict.waiting[0]);
  verdict.waiting[0].ranks = {0, 2};
  verdict.waiting[1].ranks = {1};
  EXPECT_EQ(score(verdict, declared()).steps, 5);
}

TEST(Score, HostCallMayBeDeclared) {
  Expectation expectation = declared();
  expectation.waiting[0].operation = record::Call::device_synchronize;
  EXPECT_EQ(score(right(), expectation).steps, 5);
}

TEST(Score, FalseAlarmIsNoise) {
  Expectation healthy;
  healthy.outcomes = {Outcome::completes};
  EXPECT_EQ(score(right(), healthy).steps, 0);
  EXPECT_EQ(score(right(), healthy).noise, 1);
  Verdict verdict;
  verdict.outcome = Outcome::completes;
  EXPECT_EQ(score(verdict, healthy).steps, 5);
}

TEST(Score, WhatIsNotSaidIsNotCompared) {
  Expectation expectation;
  expectation.outcomes = {Outcome::stall, Outcome::deadlock};
  EXPECT_EQ(score(right(), expectation).steps, 5);
}

}  // namespace
}  // namespace gridlock::detect
