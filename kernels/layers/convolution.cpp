// Convolution over time on the CPU: one pass along a row for each tap, so that the compiler can
// vectorize it.
#include "kernels/layers/convolution.h"

#include <algorithm>
#include <cstdint>

#include "kernels/layers/pairwise.h"

namespace gridlock::kernels::cpu {
namespace {

constexpr int kTaps = 3;

// The outputs t for which tap k reads inside x: 0 <= 2t - 1 + k < time. If the length is even, only
// the left tap of an output after the last one would read the last place.
struct Range {
  std::int64_t first;
  std::int64_t last;  // exclusive
};
constexpr Range reach(int tap, int time) {
  return {tap == 0 ? 1 : 0, std::min((time - tap + 2) / 2, subsampled(time))};
}

}  // namespace

void convolution_forward(const float* x, const float* weight, const float* bias, Shape3 x_shape,
                         int out_channels, float* y) {
  const auto [batch, in_channels, time] = x_shape;
  const std::int64_t out_time = subsampled(time);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t o = 0; o < out_channels; ++o) {
      float* out = y + (b * out_channels + o) * out_time;
      std::fill_n(out, out_time, bias[o]);
      for (std::int64_t i = 0; i < in_channels; ++i) {
        const float* in = x + (b * in_channels + i) * time;
        for (int k = 0; k < kTaps; ++k) {
          const float w = weight[(o * in_channels + i) * kTaps + k];
          const auto [first, last] = reach(k, time);
          for (std::int64_t t = first; t < last; ++t) out[t] += w * in[2 * t - 1 + k];
        }
      }
    }
  }
}

void convolution_backward_data(const float* dy, const float* weight, Shape3 x_shape,
                               int out_channels, float* dx) {
  const auto [batch, in_channels, time] = x_shape;
  const std::int64_t out_time = subsampled(time);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < in_channels; ++i) {
      float* in = dx + (b * in_channels + i) * time;
      std::fill_n(in, time, 0.0F);
      for (std::int64_t o = 0; o < out_channels; ++o) {
        const float* out = dy + (b * out_channels + o) * out_time;
        for (int k = 0; k < kTaps; ++k) {
          const float w = weight[(o * in_channels + i) * kTaps + k];
          const auto [first, last] = reach(k, time);
          for (std::int64_t t = first; t < last; ++t) in[2 * t - 1 + k] += w * out[t];
        }
      }
    }
  }
}

void convolution_backward_weight(const float* dy, const float* x, Shape3 x_shape, int out_channels,
                                 float* dweight, float* dbias) {
  const int in_channels = x_shape.channels;
  const int time = x_shape.time;
  const std::int64_t out_time = subsampled(time);
  for (std::int64_t o = 0; o < out_channels; ++o) {
    for (std::int64_t i = 0; i < in_channels; ++i) {
      for (int k = 0; k < kTaps; ++k) {
        const auto [first, last] = reach(k, time);
        const auto row = [&, first = first, last = last](std::int64_t b, std::int64_t count) {
          if (count == 0) return 0.0F;
          const float* out = dy + (b * out_channels + o) * out_time;
          const float* in = x + (b * in_channels + i) * time;
          return pairwise_sum(first, last - first,
                              [&](std::int64_t t) { return out[t] * in[2 * t - 1 + k]; });
        };
        dweight[(o * in_channels + i) * kTaps + k] = pairwise(0, x_shape.batch, 1, row, add);
      }
    }
  }
  channel_sums(dy, {x_shape.batch, out_channels, subsampled(time)}, dbias);
}

}  // namespace gridlock::kernels::cpu
