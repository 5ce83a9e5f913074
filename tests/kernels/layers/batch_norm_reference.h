// What batch normalization's tests compare with, in float64.
#pragma once

#include <cmath>
#include <vector>

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels::test {

inline constexpr float kEpsilon = 1e-5F;

struct Statistics {
  std::vector<Reference> mean, var;
};

// Two passes, the deviations taken from the exact mean.
inline Statistics statistics_of(const std::vector<float>& x, Shape3 shape) {
  Statistics result;
  const auto n = static_cast<double>(per_channel(shape));
  for (int c = 0; c < shape.channels; ++c) {
    Reference mean;
    Reference var;
    for (int b = 0; b < shape.batch; ++b) {
      for (int t = 0; t < shape.time; ++t) mean.add(x[index_of(shape, b, c, t)] / n);
    }
    for (int b = 0; b < shape.batch; ++b) {
      for (int t = 0; t < shape.time; ++t) {
        var.add(std::pow(x[index_of(shape, b, c, t)] - mean.value, 2) / n);
      }
    }
    result.mean.push_back(mean);
    result.var.push_back(var);
  }
  return result;
}

inline double inverse_std_of(double var) { return 1.0 / std::sqrt(var + kEpsilon); }

}  // namespace gridlock::kernels::test
