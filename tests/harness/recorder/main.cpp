// The tests, or one of the programs that they start.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/harness/recorder/recorded.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--part") return gridlock::play(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
