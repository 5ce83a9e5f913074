// The test program's main. It enters the private world first, while there is only one thread.
#include "tests/nodes/program.h"

#include "tests/nodes/world.h"

namespace {
std::string& reason() {
  static std::string text = "the test program has not entered its world";
  return text;
}
}  // namespace

const std::string& gridlock::nodes::why_no_world() { return reason(); }

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (!testing::GTEST_FLAG(list_tests)) reason() = gridlock::nodes::enter_world();
  return RUN_ALL_TESTS();
}
