// The limits nest across folders that may not include one another.
#include "harness/run/limits.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace gridlock::run {
namespace {

// The harness includes no kernel: what the kernels keep to is read from their header.
TEST(Limits, NoKernelSpinsForLongerThanTheHarnessAllows) {
  std::ifstream file(GRIDLOCK_SOURCE "/kernels/spin.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex("kSpinLimitNanoseconds = ([0-9']+);")));
  std::string digits = found[1];
  std::erase(digits, '\'');
  EXPECT_EQ(Duration(std::stoll(digits)), kKernelSpinBound);
}

}  // namespace
}  // namespace gridlock::run
