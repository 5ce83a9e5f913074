// Batch normalization's statistics and forward pass against float64.
#include "kernels/layers/batch_norm.h"

#include <limits>
#include <vector>

#include "tests/kernels/kernel_test.h"
#include "tests/kernels/layers/batch_norm_reference.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::index_of;
using test::inverse_std_of;
using test::kEpsilon;
using test::Reference;
using test::size_of;
using test::Statistics;
using test::statistics_of;

class BatchNorm : public test::KernelTest {
 protected:
  void check_statistics(const std::vector<float>& x, Shape3 shape) {
    SCOPED_TRACE(::testing::Message() << shape.batch << "x" << shape.channels << "x" << shape.time);
    const auto channels = static_cast<std::size_t>(shape.channels);
    const Floats device_x(x);
    Floats mean(channels);
    Floats var(channels);
    ASSERT_EQ(launch_batch_norm_statistics(device_x.data(), shape, mean.data(), var.data(), stream),
              cudaSuccess);
    const Statistics expected = statistics_of(x, shape);
    test::expect_close(mean.read(), expected.mean);
    test::expect_close(var.read(), expected.var);
  }
};

TEST_F(BatchNorm, StatisticsOfAnyShape) {
  for (const Shape3 shape : test::shapes()) check_statistics(random(size_of(shape)), shape);
}

// A sum of squares minus the square of the sum would lose every digit here.
TEST_F(BatchNorm, VarianceSurvivesALargeMean) {
  for (const Shape3 shape : test::shapes())
    check_statistics(random(size_of(shape), 1000.0F), shape);
}

TEST_F(BatchNorm, EmptyBatchHasMeanZeroAndVarianceZero) {
  for (const Shape3 shape : {Shape3{0, 2, 5}, Shape3{3, 2, 0}}) {
    const Floats x(0);
    Floats mean(2);
    Floats var(2);
    ASSERT_EQ(launch_batch_norm_statistics(x.data(), shape, mean.data(), var.data(), stream),
              cudaSuccess);
    EXPECT_EQ(mean.read(), std::vector<float>(2, 0.0F));
    EXPECT_EQ(var.read(), std::vector<float>(2, 0.0F));
  }
}

TEST_F(BatchNorm, NonFiniteInputsPoisonTheirChannelOnly) {
  const Shape3 shape{3, 4, 50};
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> x = random(size_of(shape));
    x[index_of(shape, 1, 2, 31)] = bad;
    check_statistics(x, shape);
  }
}

TEST_F(BatchNorm, ForwardNormalizesScalesAndShifts) {
  for (const Shape3 shape : test::shapes()) {
    const auto channels = static_cast<std::size_t>(shape.channels);
    const std::vector<float> x = random(size_of(shape), 3.0F);
    const std::vector<float> mean = random(channels, 3.0F);
    const std::vector<float> var(channels, 0.7F);
    const std::vector<float> gamma = random(channels);
    const std::vector<float> beta = random(channels);
    Floats y(x);  // in place
    const Floats device_mean(mean);
    const Floats device_var(var);
    const Floats device_gamma(gamma);
    const Floats device_beta(beta);
    Floats inverse_std(channels);
    ASSERT_EQ(launch_batch_norm_inverse_std(device_var.data(), shape.channels, kEpsilon,
                                            inverse_std.data(), stream),
              cudaSuccess);
    ASSERT_EQ(launch_batch_norm_forward(y.data(), shape, device_mean.data(), inverse_std.data(),
                                        device_gamma.data(), device_beta.data(), y.data(), stream),
              cudaSuccess);
    std::vector<Reference> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t c = i / static_cast<std::size_t>(shape.time) % channels;
      const double slope = gamma[c] * inverse_std_of(var[c]);
      expected[i].add(slope * x[i]);
      expected[i].add(-slope * mean[c]);
      expected[i].add(beta[c]);
    }
    test::expect_close(y.read(), expected);
  }
}

TEST_F(BatchNorm, RefusesNegativeExtents) {
  Floats any(1);
  float* p = any.data();
  const Shape3 bad{1, -1, 1};
  EXPECT_EQ(launch_batch_norm_statistics(p, bad, p, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_batch_norm_inverse_std(p, -1, kEpsilon, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_batch_norm_record(p, p, bad, kEpsilon, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_batch_norm_combine(p, -1, 1, kEpsilon, p, p, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_batch_norm_forward(p, bad, p, p, p, p, p, stream), cudaErrorInvalidValue);
  EXPECT_EQ(launch_batch_norm_backward_reduce(p, p, bad, p, p, p, p, p, stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(launch_batch_norm_backward(p, p, bad, p, p, p, p, p, p, stream), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
