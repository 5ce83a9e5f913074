// The optimizer against its closed form: after n steps with a constant gradient g the weight has
// moved by lr g times the sum of the velocities' geometric series.
#include "kernels/updates/sgd.h"

#include <cmath>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;

constexpr int kSteps = 5;
constexpr float kRate = 0.125F;
constexpr float kMomentum = 0.75F;

class Sgd : public test::KernelTest {
 protected:
  // Expects weight - lr g `factor` after kSteps steps.
  void check(std::size_t count, std::size_t shift, bool with_momentum, double factor) {
    const std::vector<float> start = random(count);
    const std::vector<float> gradient = random(count);
    Floats weights(start, shift);
    const Floats device_gradient(gradient);
    Floats velocity(std::vector<float>(count, 0.0F));
    for (int step = 0; step < kSteps; ++step) {
      ASSERT_EQ(launch_sgd(weights.data(), device_gradient.data(),
                           with_momentum ? velocity.data() : nullptr,
                           static_cast<std::int64_t>(count), kRate, kMomentum, stream),
                cudaSuccess);
    }
    std::vector<test::Reference> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      expected[i].add(start[i]);
      expected[i].add(-static_cast<double>(kRate) * gradient[i] * factor);
    }
    test::expect_close(weights.read(), expected);
    velocity.read();
  }
};

TEST_F(Sgd, PlainStepsAreProportionalToTheGradient) {
  for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 4099U})
    check(count, count % 2, false, kSteps);
}

TEST_F(Sgd, MomentumFollowsTheGeometricSeries) {
  double factor = 0.0;
  for (int step = 1; step <= kSteps; ++step) {
    factor += (1.0 - std::pow(static_cast<double>(kMomentum), step)) / (1.0 - kMomentum);
  }
  for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 4099U}) check(count, count % 2, true, factor);
}

TEST_F(Sgd, ANanGradientPoisonsItsWeightOnly) {
  Floats weights(std::vector<float>{1.0F, 2.0F});
  const Floats gradient(std::vector<float>{std::nanf(""), 4.0F});
  ASSERT_EQ(launch_sgd(weights.data(), gradient.data(), nullptr, 2, kRate, 0.0F, stream),
            cudaSuccess);
  const std::vector<float> result = weights.read();
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_EQ(result[1], 1.5F);
}

TEST_F(Sgd, RefusesANegativeCount) {
  Floats any(1);
  EXPECT_EQ(launch_sgd(any.data(), any.data(), nullptr, -1, kRate, 0.0F, stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(launch_sgd(any.data(), any.data(), any.data(), -1, kRate, 0.0F, stream),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
