// Limits are ordered correctly across folders that may not include one another.
#include "harness/base/limits.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace gridlock {
namespace {

// The harness includes no kernel, so the test reads the kernels' limit from their header as text.
TEST(Limits, NoKernelSpinsForLongerThanTheHarnessAllows) {
  std::ifstream file(GRIDLOCK_SOURCE "/kernels/spin.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string name = "kSpinLimitNanoseconds = ";
  const auto begin = text.find(name);
  ASSERT_NE(begin, std::string::npos);
  const auto value = begin + name.size();
  std::string digits = text.substr(value, text.find(';', value) - value);
  std::erase(digits, '\'');
  EXPECT_EQ(Duration(std::stoll(digits)), kKernelSpinBound);
}

}  // namespace
}  // namespace gridlock
