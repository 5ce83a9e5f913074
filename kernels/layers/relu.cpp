// The rectified linear unit on the CPU.
#include "kernels/layers/relu.h"

namespace gridlock::kernels::cpu {

// The comparisons are written so that NaN fails them and is passed on.
void relu_forward(const float* x, std::int64_t count, float* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] < 0.0F ? 0.0F : x[i];
}

void relu_backward(const float* dy, const float* x, std::int64_t count, float* dx) {
  for (std::int64_t i = 0; i < count; ++i) dx[i] = x[i] <= 0.0F ? 0.0F : dy[i];
}

}  // namespace gridlock::kernels::cpu
