// Batch normalization synchronized over ranks. However a batch is split, the result is that of the
// whole batch, and the gradient is its slope, by central differences in float64.
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/layers/batch_norm.h"
#include "tests/kernels/kernel_test.h"
#include "tests/kernels/layers/batch_norm_reference.h"

namespace gridlock::kernels {
namespace {

using test::Floats;
using test::index_of;
using test::inverse_std_of;
using test::kEpsilon;
using test::size_of;
using test::Statistics;
using test::statistics_of;

// The loss that the gradient tests differentiate: sum of dy y, y normalized over all of x, in
// float64.
double weighted_output(const std::vector<double>& x, const std::vector<float>& dy, Shape3 shape,
                       const std::vector<float>& gamma, const std::vector<float>& beta) {
  double total = 0.0;
  const auto n = static_cast<double>(per_channel(shape));
  for (int c = 0; c < shape.channels; ++c) {
    double sum = 0.0;
    double squares = 0.0;
    for (int b = 0; b < shape.batch; ++b) {
      for (int t = 0; t < shape.time; ++t) {
        const double value = x[index_of(shape, b, c, t)];
        sum += value;
        squares += value * value;
      }
    }
    const double mean = sum / n;
    const double inverse_std = inverse_std_of(squares / n - mean * mean);
    const auto at = static_cast<std::size_t>(c);
    for (int b = 0; b < shape.batch; ++b) {
      for (int t = 0; t < shape.time; ++t) {
        const std::size_t i = index_of(shape, b, c, t);
        total += dy[i] * ((x[i] - mean) * inverse_std * gamma[at] + beta[at]);
      }
    }
  }
  return total;
}

double slope(std::vector<double> x, std::size_t i, const std::vector<float>& dy, Shape3 shape,
             const std::vector<float>& gamma, const std::vector<float>& beta) {
  constexpr double kStep = 1e-4;
  x[i] += kStep;
  const double above = weighted_output(x, dy, shape, gamma, beta);
  x[i] -= 2 * kStep;
  const double below = weighted_output(x, dy, shape, gamma, beta);
  return (above - below) / (2 * kStep);
}

// A whole SyncBatchNorm step over `sizes.size()` ranks of the given batch sizes, with the
// collectives done on the host. One rank of the whole batch is the local case.
struct Step {
  std::vector<float> y, dx, dgamma, dbeta, mean, inverse_std, running_mean, running_var;
  float total_count = -1.0F;
};

class SyncBatchNorm : public test::KernelTest {
 protected:
  Step run(const std::vector<float>& x, const std::vector<float>& dy, Shape3 shape,
           const std::vector<int>& sizes, const std::vector<float>& gamma,
           const std::vector<float>& beta) {
    const auto channels = static_cast<std::size_t>(shape.channels);
    const auto world_size = static_cast<int>(sizes.size());
    const Floats device_gamma(gamma);
    const Floats device_beta(beta);
    std::vector<float> records;
    std::vector<Shape3> parts;
    parts.reserve(sizes.size());
    for (const int size : sizes) parts.push_back({size, shape.channels, shape.time});

    const auto part_of = [&](const std::vector<float>& all, std::size_t rank) {
      std::size_t first = 0;
      for (std::size_t before = 0; before < rank; ++before) first += size_of(parts[before]);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(size_of(parts[rank])));
    };
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const Floats part(part_of(x, rank));
      Floats mean(channels);
      Floats var(channels);
      Floats record(static_cast<std::size_t>(batch_norm_record_size(shape.channels)));
      EXPECT_EQ(
          launch_batch_norm_statistics(part.data(), parts[rank], mean.data(), var.data(), stream),
          cudaSuccess);
      EXPECT_EQ(launch_batch_norm_record(mean.data(), var.data(), parts[rank], kEpsilon,
                                         record.data(), stream),
                cudaSuccess);
      const std::vector<float> values = record.read();
      records.insert(records.end(), values.begin(), values.end());
    }

    const Floats all_records(records);
    Floats mean(channels);
    Floats inverse_std(channels);
    Floats total_count(1);
    Floats running_mean(std::vector<float>(channels, 1.0F));
    Floats running_var(std::vector<float>(channels, 2.0F));
    EXPECT_EQ(
        launch_batch_norm_combine(all_records.data(), world_size, shape.channels, kEpsilon,
                                  mean.data(), inverse_std.data(), total_count.data(), stream),
        cudaSuccess);
    EXPECT_EQ(launch_batch_norm_update_running(mean.data(), inverse_std.data(), total_count.data(),
                                               shape.channels, kEpsilon, 0.25F, running_mean.data(),
                                               running_var.data(), stream),
              cudaSuccess);
    Step step;
    std::vector<float> sums(2 * channels, 0.0F);
    step.dgamma.assign(channels, 0.0F);
    step.dbeta.assign(channels, 0.0F);
    const auto add_to = [](std::vector<float>& total, const std::vector<float>& values) {
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += values[i];
    };
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const Floats part(part_of(x, rank));
      const Floats gradient(part_of(dy, rank));
      Floats own_sums(2 * channels);
      Floats dgamma(channels);
      Floats dbeta(channels);
      EXPECT_EQ(launch_batch_norm_backward_reduce(gradient.data(), part.data(), parts[rank],
                                                  mean.data(), inverse_std.data(), own_sums.data(),
                                                  dgamma.data(), dbeta.data(), stream),
                cudaSuccess);
      add_to(sums, own_sums.read());
      add_to(step.dgamma, dgamma.read());
      add_to(step.dbeta, dbeta.read());
    }
    const Floats all_sums(sums);
    for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
      const Floats part(part_of(x, rank));
      const Floats gradient(part_of(dy, rank));
      Floats y(size_of(parts[rank]));
      Floats dx(size_of(parts[rank]));
      EXPECT_EQ(
          launch_batch_norm_forward(part.data(), parts[rank], mean.data(), inverse_std.data(),
                                    device_gamma.data(), device_beta.data(), y.data(), stream),
          cudaSuccess);
      EXPECT_EQ(launch_batch_norm_backward(gradient.data(), part.data(), parts[rank], mean.data(),
                                           inverse_std.data(), device_gamma.data(), all_sums.data(),
                                           total_count.data(), dx.data(), stream),
                cudaSuccess);
      const std::vector<float> own_y = y.read();
      const std::vector<float> own_dx = dx.read();
      step.y.insert(step.y.end(), own_y.begin(), own_y.end());
      step.dx.insert(step.dx.end(), own_dx.begin(), own_dx.end());
    }
    step.mean = mean.read();
    step.inverse_std = inverse_std.read();
    step.total_count = total_count.read()[0];
    step.running_mean = running_mean.read();
    step.running_var = running_var.read();
    return step;
  }
};

TEST_F(SyncBatchNorm, HoweverTheBatchIsSplitTheGradientIsTheSlopeOfTheWhole) {
  const Shape3 shape{6, 3, 7};
  const std::vector<float> x = random(size_of(shape), 0.5F);
  const std::vector<float> dy = random(size_of(shape));
  const std::vector<float> gamma = random(3, 1.0F);
  const std::vector<float> beta = random(3);
  const Statistics expected = statistics_of(x, shape);
  const std::vector<double> exact_x(x.begin(), x.end());
  for (const std::vector<int>& sizes : {std::vector<int>{6}, {2, 4}, {1, 0, 5}, {0, 6, 0}}) {
    const Step step = run(x, dy, shape, sizes, gamma, beta);
    EXPECT_EQ(step.total_count, 42.0F);
    double loss = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      loss += static_cast<double>(dy[i]) * step.y[i];
      ASSERT_NEAR(step.dx[i], slope(exact_x, i, dy, shape, gamma, beta), 1e-5) << "at " << i;
    }
    EXPECT_NEAR(loss, weighted_output(exact_x, dy, shape, gamma, beta), 1e-4);
    for (std::size_t c = 0; c < 3; ++c) {
      const double var = expected.var[c].value;
      EXPECT_NEAR(step.mean[c], expected.mean[c].value, 1e-6);
      EXPECT_NEAR(step.inverse_std[c], inverse_std_of(var), 2e-6);
      EXPECT_NEAR(step.running_mean[c], 0.75 + 0.25 * expected.mean[c].value, 1e-6);
      EXPECT_NEAR(step.running_var[c], 1.5 + 0.25 * var * 42 / 41, 2e-6);
      // The output is linear in gamma and beta: a difference of any size gives the slope.
      std::vector<float> more_gamma = gamma;
      std::vector<float> more_beta = beta;
      more_gamma[c] += 1.0F;
      more_beta[c] += 1.0F;
      const double base = weighted_output(exact_x, dy, shape, gamma, beta);
      EXPECT_NEAR(step.dgamma[c], weighted_output(exact_x, dy, shape, more_gamma, beta) - base,
                  2e-5);
      EXPECT_NEAR(step.dbeta[c], weighted_output(exact_x, dy, shape, gamma, more_beta) - base,
                  2e-5);
    }
  }
}

TEST_F(SyncBatchNorm, LargerShapesAgreeWithOneRank) {
  const Shape3 shape{9, 20, 333};
  const std::vector<float> x = random(size_of(shape), 0.5F);
  const std::vector<float> dy = random(size_of(shape));
  const std::vector<float> gamma = random(20, 1.0F);
  const std::vector<float> beta = random(20);
  const Step whole = run(x, dy, shape, {9}, gamma, beta);
  const Step split = run(x, dy, shape, {4, 0, 3, 2}, gamma, beta);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(whole.y[i], split.y[i], 1e-5);
    ASSERT_NEAR(whole.dx[i], split.dx[i], 1e-5);
  }
}

TEST_F(SyncBatchNorm, AnEmptyRankIsIgnoredWhateverItSends) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Floats records(std::vector<float>{nan, nan, 0.0F, 3.0F, 0.5F, 4.0F, nan, nan, 0.0F});
  Floats mean(1);
  Floats inverse_std(1);
  Floats total(1);
  ASSERT_EQ(launch_batch_norm_combine(records.data(), 3, 1, kEpsilon, mean.data(),
                                      inverse_std.data(), total.data(), stream),
            cudaSuccess);
  EXPECT_EQ(mean.read(), std::vector<float>{3.0F});
  EXPECT_NEAR(inverse_std.read()[0], 0.5F, 1e-6);
  EXPECT_EQ(total.read(), std::vector<float>{4.0F});
}

TEST_F(SyncBatchNorm, AllEmptyChangesNothing) {
  const Step step = run({}, {}, {0, 2, 5}, {0, 0}, {1.0F, 1.0F}, {0.0F, 0.0F});
  EXPECT_EQ(step.total_count, 0.0F);
  EXPECT_EQ(step.mean, std::vector<float>(2, 0.0F));
  EXPECT_NEAR(step.inverse_std[0], inverse_std_of(0.0), 1e-4);
  EXPECT_EQ(step.dgamma, std::vector<float>(2, 0.0F));
  EXPECT_EQ(step.dbeta, std::vector<float>(2, 0.0F));
  EXPECT_EQ(step.running_mean, std::vector<float>(2, 1.0F));
  EXPECT_EQ(step.running_var, std::vector<float>(2, 2.0F));
}

TEST_F(SyncBatchNorm, OneRanksNanPoisonsAll) {
  const Shape3 shape{2, 1, 3};
  std::vector<float> x = random(size_of(shape));
  x[1] = std::nanf("");
  const Step step = run(x, random(size_of(shape)), shape, {1, 1}, {1.0F}, {0.0F});
  for (const float value : step.y) EXPECT_TRUE(std::isnan(value));
  for (const float value : step.dx) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(step.running_var[0]));
}

}  // namespace
}  // namespace gridlock::kernels
