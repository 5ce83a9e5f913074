// The reducer's elementwise work on the CPU.
#include "kernels/updates/gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridlock::kernels::cpu {

void gradient_pack(const float* gradient, std::int64_t count, float scale, float* bucket,
                   std::int64_t offset) {
  for (std::int64_t i = 0; i < count; ++i) bucket[offset + i] = scale * gradient[i];
}

void gradient_unpack(const float* bucket, std::int64_t offset, std::int64_t count, float scale,
                     float* gradient) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] = scale * bucket[offset + i];
}

void gradient_accumulate(const float* other, std::int64_t count, float scale, float* gradient) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] += scale * other[i];
}

void scale(float* values, std::int64_t count, float factor) {
  for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}

void fill(float* values, std::int64_t count, float value) { std::fill_n(values, count, value); }

void nan_to_num(float* values, std::int64_t count) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = std::isnan(values[i]) ? 0.0F : std::clamp(values[i], -kLargest, kLargest);
  }
}

}  // namespace gridlock::kernels::cpu
