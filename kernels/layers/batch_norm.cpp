// Batch normalization on the CPU.
#include "kernels/layers/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/layers/pairwise.h"

namespace gridlock::kernels::cpu {
namespace {

// Statistics of `count` values; m2 is the sum of squared distances from the mean.
struct Moments {
  float count;
  float mean;
  float m2;
};

// Chan, Golub, LeVeque 1983, equations 2.1.
Moments merge(const Moments& left, const Moments& right) {
  if (right.count == 0.0F) return left;
  if (left.count == 0.0F) return right;
  const float count = left.count + right.count;
  const float delta = right.mean - left.mean;
  const float share = right.count / count;
  return {count, left.mean + delta * share,
          left.m2 + right.m2 + delta * delta * left.count * share};
}

// Two passes over a range that is short enough to stay in the cache. All values are relative to
// `origin`, one of the channel's values: otherwise the variance's error grows with mean /
// deviation.
Moments leaf(const float* values, std::int64_t count, float origin) {
  if (count == 0) return {0.0F, 0.0F, 0.0F};
  const auto n = static_cast<float>(count);
  const float mean = pairwise_sum(0, count, [&](std::int64_t i) { return values[i] - origin; }) / n;
  const float m2 = pairwise_sum(0, count, [&](std::int64_t i) {
    const float distance = (values[i] - origin) - mean;
    return distance * distance;
  });
  return {n, mean, m2};
}

Moments row_moments(const float* row, int time, float origin) {
  const auto part = [row, origin](std::int64_t first, std::int64_t count) {
    return leaf(row + first, count, origin);
  };
  return pairwise(0, time, kLeaf, part, merge);
}

// The order of max's arguments lets NaN pass.
float variance_of(float inverse_std, float epsilon) {
  return std::max(1.0F / (inverse_std * inverse_std) - epsilon, 0.0F);
}

// Calls visit(offset of the row, channel) for each row of a shape.
template <class Visit>
void for_each_row(Shape3 shape, const Visit& visit) {
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      visit((b * shape.channels + c) * shape.time, c);
    }
  }
}

}  // namespace

void batch_norm_statistics(const float* x, Shape3 shape, float* mean, float* var) {
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    const float origin = per_channel(shape) == 0 ? 0.0F : x[c * shape.time];
    const auto row = [&](std::int64_t b, std::int64_t count) {
      if (count == 0) return Moments{0.0F, 0.0F, 0.0F};
      return row_moments(x + (b * shape.channels + c) * shape.time, shape.time, origin);
    };
    const Moments all = pairwise(0, shape.batch, 1, row, merge);
    mean[c] = origin + all.mean;
    var[c] = all.count == 0.0F ? 0.0F : all.m2 / all.count;
  }
}

void batch_norm_inverse_std(const float* var, int channels, float epsilon, float* inverse_std) {
  for (int c = 0; c < channels; ++c) inverse_std[c] = 1.0F / std::sqrt(var[c] + epsilon);
}

void batch_norm_record(const float* mean, const float* var, Shape3 shape, float epsilon,
                       float* record) {
  std::copy_n(mean, shape.channels, record);
  batch_norm_inverse_std(var, shape.channels, epsilon, record + shape.channels);
  record[static_cast<std::int64_t>(2) * shape.channels] = static_cast<float>(per_channel(shape));
}

void batch_norm_combine(const float* records, int world_size, int channels, float epsilon,
                        float* mean, float* inverse_std, float* total_count) {
  const std::int64_t size = batch_norm_record_size(channels);
  total_count[0] = 0.0F;
  for (int rank = 0; rank < world_size; ++rank) {
    total_count[0] += records[rank * size + static_cast<std::int64_t>(2) * channels];
  }
  for (int c = 0; c < channels; ++c) {
    Moments all{0.0F, 0.0F, 0.0F};
    for (int rank = 0; rank < world_size; ++rank) {
      const float* record = records + rank * size;
      const float count = record[static_cast<std::int64_t>(2) * channels];
      all = merge(all, {count, record[c], variance_of(record[channels + c], epsilon) * count});
    }
    const float var = all.count == 0.0F ? 0.0F : all.m2 / all.count;
    mean[c] = all.mean;
    inverse_std[c] = 1.0F / std::sqrt(var + epsilon);
  }
}

void batch_norm_update_running(const float* mean, const float* inverse_std,
                               const float* total_count, int channels, float epsilon,
                               float momentum, float* running_mean, float* running_var) {
  const float n = total_count[0];
  if (n == 0.0F) return;
  const float unbiased = n > 1.0F ? n / (n - 1.0F) : 1.0F;
  for (int c = 0; c < channels; ++c) {
    const float var = variance_of(inverse_std[c], epsilon) * unbiased;
    running_mean[c] += momentum * (mean[c] - running_mean[c]);
    running_var[c] += momentum * (var - running_var[c]);
  }
}

void batch_norm_forward(const float* x, Shape3 shape, const float* mean, const float* inverse_std,
                        const float* gamma, const float* beta, float* y) {
  for_each_row(shape, [&](std::int64_t row, std::int64_t c) {
    const float factor = gamma[c] * inverse_std[c];
    for (std::int64_t i = row; i < row + shape.time; ++i) {
      y[i] = (x[i] - mean[c]) * factor + beta[c];
    }
  });
}

void batch_norm_backward_reduce(const float* dy, const float* x, Shape3 shape, const float* mean,
                                const float* inverse_std, float* sums, float* dgamma,
                                float* dbeta) {
  channel_sums(dy, shape, sums);
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    const float sum = sum_batch_time(shape.batch, shape.time, [&](std::int64_t b, std::int64_t t) {
      const std::int64_t i = (b * shape.channels + c) * shape.time + t;
      return dy[i] * (x[i] - mean[c]);
    });
    sums[shape.channels + c] = sum;
    dgamma[c] = per_channel(shape) == 0 ? 0.0F : sum * inverse_std[c];
    dbeta[c] = sums[c];
  }
}

void batch_norm_backward(const float* dy, const float* x, Shape3 shape, const float* mean,
                         const float* inverse_std, const float* gamma, const float* sums,
                         const float* total_count, float* dx) {
  for_each_row(shape, [&](std::int64_t row, std::int64_t c) {
    const float factor = gamma[c] * inverse_std[c];
    const float mean_dy = sums[c] / total_count[0];
    const float slope = inverse_std[c] * inverse_std[c] * sums[shape.channels + c] / total_count[0];
    for (std::int64_t i = row; i < row + shape.time; ++i) {
      dx[i] = factor * (dy[i] - mean_dy - (x[i] - mean[c]) * slope);
    }
  });
}

}  // namespace gridlock::kernels::cpu
