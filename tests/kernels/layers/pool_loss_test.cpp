// Pooling and loss against their definition in float64, and the gradient against central
// differences of that definition.
#include "kernels/layers/pool_loss.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::index_of;
using test::Ints;
using test::Reference;
using test::size_of;

using Lengths = std::optional<std::vector<int>>;

struct Model {
  std::vector<Reference> pooled;
  Reference loss;
};

int steps_of(const Lengths& lengths, int b, int time) {
  return lengths ? std::min(std::max((*lengths)[static_cast<std::size_t>(b)], 0), time) : time;
}

Model evaluate(const std::vector<double>& x, Shape3 shape, const Lengths& lengths,
               const std::vector<float>& target) {
  Model model;
  const double rows = static_cast<double>(shape.batch) * shape.channels;
  for (int b = 0; b < shape.batch; ++b) {
    const int steps = steps_of(lengths, b, shape.time);
    for (int c = 0; c < shape.channels; ++c) {
      Reference mean;
      for (int t = 0; t < steps; ++t) mean.add(x[index_of(shape, b, c, t)] / steps);
      const double want = target[model.pooled.size()];
      const double error = mean.value - want;
      model.loss.value += error * error / rows;
      const double size = mean.magnitude + std::abs(want);
      model.loss.magnitude += size * size / rows;
      model.pooled.push_back(mean);
    }
  }
  return model;
}

class PoolLoss : public test::KernelTest {
 protected:
  void run(Shape3 shape, const Lengths& lengths, const std::vector<float>& x,
           const std::vector<float>& target, float scale) {
    const Floats device_x(x);
    const Floats device_target(target);
    const Ints device_lengths(lengths.value_or(std::vector<int>{}));
    const int* lengths_or_null = lengths ? device_lengths.data() : nullptr;
    Floats device_pooled(target.size());
    Floats device_loss(1);
    Floats device_dx(x.size());
    ASSERT_EQ(
        launch_pool_loss_forward(device_x.data(), shape, lengths_or_null, device_target.data(),
                                 device_pooled.data(), device_loss.data(), stream),
        cudaSuccess);
    ASSERT_EQ(launch_pool_loss_backward(device_pooled.data(), device_target.data(), shape,
                                        lengths_or_null, scale, device_dx.data(), stream),
              cudaSuccess);
    pooled = device_pooled.read();
    loss = device_loss.read();
    dx = device_dx.read();
  }

  std::vector<float> pooled, loss, dx;
};

TEST_F(PoolLoss, ForwardFollowsItsDefinition) {
  for (const Shape3 shape : test::shapes()) {
    std::vector<int> lengths;
    lengths.reserve(static_cast<std::size_t>(shape.batch));
    for (int b = 0; b < shape.batch; ++b)
      lengths.push_back((b * 7) % (shape.time + 2) - (b % 5 == 4));
    for (const Lengths& choice : {Lengths{}, Lengths{lengths}}) {
      const std::vector<float> x = random(size_of(shape), 2.0F);
      const std::vector<float> target = random(size_of({shape.batch, shape.channels, 1}));
      ASSERT_NO_FATAL_FAILURE(run(shape, choice, x, target, 1.0F));
      const Model model = evaluate({x.begin(), x.end()}, shape, choice, target);
      test::expect_close(pooled, model.pooled);
      test::expect_close(loss, {model.loss});
    }
  }
}

TEST_F(PoolLoss, GradientIsTheSlopeOfTheLoss) {
  const float scale = 0.5F;
  const double step =
      1e-3;  // the loss is quadratic, so central differences are exact except for rounding
  for (const Shape3 shape : {Shape3{1, 1, 1}, Shape3{3, 4, 9}, Shape3{5, 3, 40}}) {
    std::vector<int> lengths;
    lengths.reserve(static_cast<std::size_t>(shape.batch));
    for (int b = 0; b < shape.batch; ++b) lengths.push_back(b * 3);
    for (const Lengths& choice : {Lengths{}, Lengths{lengths}}) {
      const std::vector<float> x = random(size_of(shape));
      const std::vector<float> target = random(size_of({shape.batch, shape.channels, 1}));
      ASSERT_NO_FATAL_FAILURE(run(shape, choice, x, target, scale));
      std::vector<double> moved(x.begin(), x.end());
      for (std::size_t i = 0; i < x.size(); ++i) {
        moved[i] = x[i] + step;
        const double above = evaluate(moved, shape, choice, target).loss.value;
        moved[i] = x[i] - step;
        const double below = evaluate(moved, shape, choice, target).loss.value;
        moved[i] = x[i];
        ASSERT_NEAR(dx[i], scale * (above - below) / (2 * step), 2e-6) << "at " << i;
      }
    }
  }
}

TEST_F(PoolLoss, EmptyBatchHasNoLoss) {
  ASSERT_NO_FATAL_FAILURE(run({0, 3, 7}, {}, {}, {}, 1.0F));
  EXPECT_EQ(loss, std::vector<float>{0.0F});
}

TEST_F(PoolLoss, NanReachesTheLossAndItsOwnRowOnly) {
  std::vector<float> x(8, 1.0F);
  x[1] = std::nanf("");
  ASSERT_NO_FATAL_FAILURE(run({1, 2, 4}, {}, x, {0.0F, 0.0F}, 1.0F));
  EXPECT_TRUE(std::isnan(loss[0]));
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_TRUE(std::isnan(dx[t]));
    EXPECT_EQ(dx[4 + t], 0.25F);
  }
}

TEST_F(PoolLoss, PaddingIsNotRead) {
  std::vector<float> x(4, 1.0F);
  x[3] = std::nanf("");
  ASSERT_NO_FATAL_FAILURE(run({1, 1, 4}, std::vector<int>{3}, x, {0.0F}, 1.0F));
  EXPECT_EQ(loss[0], 1.0F);
  EXPECT_EQ(dx[3], 0.0F);
}

TEST_F(PoolLoss, RefusesNegativeExtents) {
  Floats any(1);
  EXPECT_EQ(launch_pool_loss_forward(any.data(), {-1, 1, 1}, nullptr, any.data(), any.data(),
                                     any.data(), stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(launch_pool_loss_backward(any.data(), any.data(), {1, 1, -1}, nullptr, 1.0F, any.data(),
                                      stream),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace gridlock::kernels
