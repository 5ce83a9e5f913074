// Hand-written states that can never move again, and their expected verdicts. Each file
// deadlock_*_test.cpp holds a table of one kind.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {

struct Deadlocked {
  const char* name;
  World (*make)();
  Cause cause;
  std::vector<int> culprits;
  std::vector<int> waiting;  // ranks in the group of `label` or `operation`
  const char* label = "";
  Call operation = Call::none;
};

std::ostream& operator<<(std::ostream& out, const Deadlocked& state);

class Deadlock : public testing::TestWithParam<Deadlocked> {};

inline std::string name_of(const testing::TestParamInfo<Deadlocked>& state) {
  return state.param.name;
}

// Used by several tables.
World all_ranks(int ranks, void (*act)(Rank& rank));
// Four ranks. One of them makes the `odd` calls, and then all wait for their devices.
World mismatch(void (*usual)(Rank&), void (*odd)(Rank&), int odd_rank = 2);

}  // namespace gridlock::detect::states
