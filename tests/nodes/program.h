// Every test of this folder needs a private world. Without one it is skipped and says why.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace gridlock::nodes {

// "" inside a private world, otherwise why there is none.
const std::string& why_no_world();

class NodesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!why_no_world().empty()) GTEST_SKIP() << why_no_world();
  }
};

}  // namespace gridlock::nodes
