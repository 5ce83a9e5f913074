// Sinusoidal positional encoding on the CPU.
#include "kernels/layers/positional.h"

#include <cmath>
#include <cstdint>

namespace gridlock::kernels::cpu {

void positional_fill(float* buffer, int channels, int length) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto even = static_cast<double>(c - c % 2);
    const double frequency = std::pow(10000.0, -even / channels);
    for (std::int64_t t = 0; t < length; ++t) {
      const double angle = static_cast<double>(t) * frequency;
      buffer[c * length + t] = static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

void positional_add(const float* x, Shape3 shape, const float* buffer, int length, float* y) {
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      const std::int64_t row = (b * shape.channels + c) * shape.time;
      for (std::int64_t t = 0; t < shape.time; ++t) {
        y[row + t] = x[row + t] + buffer[c * length + t];
      }
    }
  }
}

}  // namespace gridlock::kernels::cpu
