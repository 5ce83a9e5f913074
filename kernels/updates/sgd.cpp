// Stochastic gradient descent on the CPU.
#include "kernels/updates/sgd.h"

namespace gridlock::kernels::cpu {

void sgd(float* weights, const float* gradient, float* velocity, std::int64_t count,
         float learning_rate, float momentum) {
  for (std::int64_t i = 0; i < count; ++i) {
    float step = gradient[i];
    if (velocity != nullptr) {
      step = momentum * velocity[i] + step;
      velocity[i] = step;
    }
    weights[i] -= learning_rate * step;
  }
}

}  // namespace gridlock::kernels::cpu
