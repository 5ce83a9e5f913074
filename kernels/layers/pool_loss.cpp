// Mean pooling and mean squared error on the CPU.
#include "kernels/layers/pool_loss.h"

#include <algorithm>
#include <cstdint>

#include "kernels/layers/pairwise.h"

namespace gridlock::kernels::cpu {
namespace {

int valid_steps(const int* lengths, std::int64_t sample, int time) {
  return lengths == nullptr ? time : std::clamp(lengths[sample], 0, time);
}

}  // namespace

void pool_loss_forward(const float* x, Shape3 shape, const int* lengths, const float* target,
                       float* pooled, float* loss) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* values = x + row * shape.time;
    const int steps = valid_steps(lengths, row / shape.channels, shape.time);
    const float sum = pairwise_sum(0, steps, [&](std::int64_t t) { return values[t]; });
    pooled[row] = steps == 0 ? 0.0F : sum / static_cast<float>(steps);
  }
  const float sum = pairwise_sum(0, rows, [&](std::int64_t row) {
    const float error = pooled[row] - target[row];
    return error * error;
  });
  loss[0] = rows == 0 ? 0.0F : sum / static_cast<float>(rows);
}

void pool_loss_backward(const float* pooled, const float* target, Shape3 shape, const int* lengths,
                        float scale, float* dx) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t row = 0; row < rows; ++row) {
    float* values = dx + row * shape.time;
    const int steps = valid_steps(lengths, row / shape.channels, shape.time);
    if (steps > 0) {
      const float divisor = static_cast<float>(rows) * static_cast<float>(steps);
      std::fill_n(values, steps, scale * 2.0F * (pooled[row] - target[row]) / divisor);
    }
    std::fill(values + steps, values + shape.time, 0.0F);
  }
}

}  // namespace gridlock::kernels::cpu
