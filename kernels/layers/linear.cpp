// The linear layer on the CPU, row by row, so that the compiler can vectorize along time.
#include "kernels/layers/linear.h"

#include <algorithm>
#include <cstdint>

#include "kernels/layers/pairwise.h"

namespace gridlock::kernels::cpu {

void linear_forward(const float* x, const float* weight, const float* bias, Shape3 x_shape,
                    int out_channels, float* y) {
  const auto [batch, in_channels, time] = x_shape;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t o = 0; o < out_channels; ++o) {
      float* out = y + (b * out_channels + o) * time;
      std::fill_n(out, time, bias[o]);
      for (std::int64_t i = 0; i < in_channels; ++i) {
        const float w = weight[o * in_channels + i];
        const float* in = x + (b * in_channels + i) * time;
        for (std::int64_t t = 0; t < time; ++t) out[t] += w * in[t];
      }
    }
  }
}

void linear_backward_data(const float* dy, const float* weight, Shape3 x_shape, int out_channels,
                          float* dx) {
  const auto [batch, in_channels, time] = x_shape;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < in_channels; ++i) {
      float* in = dx + (b * in_channels + i) * time;
      std::fill_n(in, time, 0.0F);
      for (std::int64_t o = 0; o < out_channels; ++o) {
        const float w = weight[o * in_channels + i];
        const float* out = dy + (b * out_channels + o) * time;
        for (std::int64_t t = 0; t < time; ++t) in[t] += w * out[t];
      }
    }
  }
}

void linear_backward_weight(const float* dy, const float* x, Shape3 x_shape, int out_channels,
                            float* dweight, float* dbias) {
  const auto [batch, in_channels, time] = x_shape;
  for (std::int64_t o = 0; o < out_channels; ++o) {
    for (std::int64_t i = 0; i < in_channels; ++i) {
      const float* out = dy + o * time;
      const float* in = x + i * time;
      const std::int64_t out_stride = static_cast<std::int64_t>(out_channels) * time;
      const std::int64_t in_stride = static_cast<std::int64_t>(x_shape.channels) * time;
      dweight[o * in_channels + i] =
          sum_batch_time(batch, time, [&](std::int64_t b, std::int64_t t) {
            return out[b * out_stride + t] * in[b * in_stride + t];
          });
    }
  }
  channel_sums(dy, {batch, out_channels, time}, dbias);
}

}  // namespace gridlock::kernels::cpu
