// Hand-written states from which a job can go on. Calling one of them dead is as bad as missing a
// deadlock. Each file healthy_*_test.cpp holds a table of one kind.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {

struct Living {
  const char* name;
  World (*make)();
};

std::ostream& operator<<(std::ostream& out, const Living& state);

class Healthy : public testing::TestWithParam<Living> {};

inline std::string name_of_living(const testing::TestParamInfo<Living>& state) {
  return state.param.name;
}

}  // namespace gridlock::detect::states
