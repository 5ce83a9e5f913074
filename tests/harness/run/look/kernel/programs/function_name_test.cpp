// Turning demangled names into names that people know.
#include "harness/run/look/kernel/programs/function_name.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

struct Named {
  const char* full;
  const char* known;
};

TEST(FunctionName, WithoutScopesParametersAndTemplates) {
  for (const Named& one : {
           Named{"main", "main"},
           Named{"gridlock::(anonymous namespace)::launch_bucket(int)", "launch_bucket"},
           Named{"void ns::run<std::vector<int> >(std::vector<int>)", "run"},
           Named{"launch_bucket", "launch_bucket"},
       }) {
    EXPECT_EQ(function_name(one.full), one.known) << one.full;
  }
}

TEST(FunctionName, ALambdaHasThatOfWhatItIsWrittenIn) {
  for (const Named& one : {
           Named{"main::{lambda()#1}::operator()() const", "main"},
           Named{"train(int)::{lambda(int)#2}::operator()(int) const", "train"},
           Named{"ns::scenario::{lambda(ns::Rank&)#1}::_FUN(ns::Rank&)", "scenario"},
           Named{"main::{lambda()#1}::operator()() const::{lambda()#3}::_FUN()", "main"},
           Named{"{lambda()#1}::operator()() const", "lambda"},
       }) {
    EXPECT_EQ(function_name(one.full), one.known) << one.full;
  }
}

}  // namespace
}  // namespace gridlock::run
