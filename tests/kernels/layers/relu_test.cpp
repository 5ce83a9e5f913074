// The rectified linear unit against max(x, 0), and its treatment of special values.
#include "kernels/layers/relu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;

class Relu : public test::KernelTest {};

TEST_F(Relu, CutsAtZeroForAnySizeAndAlignment) {
  for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 1023U, 4099U}) {
    for (const std::size_t shift : {0U, 1U}) {
      const std::vector<float> x = random(count);
      const std::vector<float> dy = random(count);
      const Floats device_x(x, shift);
      const Floats device_dy(dy);
      Floats y(count, shift);
      Floats dx(count);
      const auto n = static_cast<std::int64_t>(count);
      ASSERT_EQ(launch_relu_forward(device_x.data(), n, y.data(), stream), cudaSuccess);
      ASSERT_EQ(launch_relu_backward(device_dy.data(), y.data(), n, dx.data(), stream),
                cudaSuccess);
      std::vector<float> expected_y;
      std::vector<float> expected_dx;
      for (std::size_t i = 0; i < count; ++i) {
        expected_y.push_back((x[i] + std::abs(x[i])) / 2);
        expected_dx.push_back(std::signbit(x[i]) ? 0.0F : dy[i]);
      }
      EXPECT_EQ(y.read(), expected_y);
      EXPECT_EQ(dx.read(), expected_dx);
    }
  }
}

TEST_F(Relu, PassesNanAndInfinity) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {std::nanf(""), kInfinity, -kInfinity, 0.0F, -0.0F};
  Floats values(x);
  Floats dx(std::vector<float>(5, 3.0F));
  ASSERT_EQ(launch_relu_backward(dx.data(), values.data(), 5, dx.data(), stream), cudaSuccess);
  ASSERT_EQ(launch_relu_forward(values.data(), 5, values.data(), stream), cudaSuccess);
  const std::vector<float> y = values.read();
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(std::vector<float>(y.begin() + 1, y.end()),
            (std::vector<float>{kInfinity, 0.0F, 0.0F, 0.0F}));
  EXPECT_EQ(dx.read(), (std::vector<float>{3.0F, 3.0F, 0.0F, 0.0F, 0.0F}));
}

TEST_F(Relu, RefusesANegativeCount) {
  Floats any(1);
  EXPECT_EQ(launch_relu_forward(any.data(), -1, any.data(), stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_relu_backward(any.data(), any.data(), -1, any.data(), stream),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
