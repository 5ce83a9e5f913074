// The scan finds one bad value wherever it is, and reports no good ones.
#include "kernels/updates/nan_scan.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::Ints;

class NanScan : public test::KernelTest {
 protected:
  int scan(const std::vector<float>& values, std::size_t shift = 0, int before = 0) {
    const Floats device_values(values, shift);
    Ints flag(std::vector<int>{before});
    EXPECT_EQ(launch_nan_scan(device_values.data(), static_cast<std::int64_t>(values.size()),
                              flag.data(), stream),
              cudaSuccess);
    return flag.read()[0];
  }
};

TEST_F(NanScan, FindsABadValueAtEachPlace) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::size_t count : {1U, 4U, 7U, 70U}) {
    for (std::size_t place = 0; place < count; ++place) {
      for (const float bad : {std::nanf(""), kInfinity, -kInfinity}) {
        std::vector<float> values = random(count);
        values[place] = bad;
        EXPECT_EQ(scan(values, place % 2), 1) << bad << " at " << place << " of " << count;
      }
    }
  }
}

TEST_F(NanScan, FindsOneOfMany) {
  std::vector<float> values = random(20'001);
  EXPECT_EQ(scan(values), 0);
  std::vector<std::size_t> places = {values.size() - 1};
  for (int i = 0; i < 16; ++i) places.push_back(generator() % values.size());
  for (const std::size_t place : places) {
    const float good = std::exchange(values[place], std::nanf(""));
    EXPECT_EQ(scan(values, 0), 1) << "at " << place;
    EXPECT_EQ(scan(values, 1), 1) << "at " << place;
    values[place] = good;
  }
}

TEST_F(NanScan, ExtremeFiniteValuesAreFine) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(scan({Limits::max(), Limits::lowest(), Limits::denorm_min(), 0.0F, -0.0F}), 0);
  EXPECT_EQ(scan({}), 0);
}

TEST_F(NanScan, LeavesASetFlagSet) { EXPECT_EQ(scan({1.0F}, 0, 1), 1); }

TEST_F(NanScan, RefusesANegativeCount) {
  Floats any(1);
  Ints flag(1);
  EXPECT_EQ(launch_nan_scan(any.data(), -1, flag.data(), stream), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
