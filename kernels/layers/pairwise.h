// Pairwise reduction for the CPU kernels: the error of a sum of n terms grows with log n instead of
// n. On the GPU, the tree of threads does the same.
//   Source  Higham 2002, "Accuracy and Stability of Numerical Algorithms", section 4.2
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/shape.h"

namespace gridlock::kernels::cpu {

// How many terms are reduced directly, in how many parallel partial sums (one SIMD register's
// worth).
inline constexpr std::int64_t kLeaf = 128;
inline constexpr std::int64_t kLanes = 8;

// Reduces [first, first + count) with `leaf(first, count)` for short ranges and `merge(left,
// right)` above them. count >= 0.
template <class Leaf, class Merge>
auto pairwise(std::int64_t first, std::int64_t count, std::int64_t leaf_size, const Leaf& leaf,
              const Merge& merge) -> decltype(leaf(first, count)) {
  if (count <= leaf_size) return leaf(first, count);
  const std::int64_t half = std::max<std::int64_t>(count / 2, 1);
  return merge(pairwise(first, half, leaf_size, leaf, merge),
               pairwise(first + half, count - half, leaf_size, leaf, merge));
}

constexpr float add(float left, float right) { return left + right; }

// Sum of term(i) for i in [first, first + count).
template <class Term>
float pairwise_sum(std::int64_t first, std::int64_t count, const Term& term) {
  const auto leaf = [&term](std::int64_t begin, std::int64_t length) {
    float lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= length; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(begin + i + lane);
    }
    for (std::int64_t lane = 0; i < length; ++i, ++lane) lanes[lane] += term(begin + i);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  };
  return pairwise(first, count, kLeaf, leaf, add);
}

// Sum of term(b, t) over batch and time.
template <class Term>
float sum_batch_time(int batch, int time, const Term& term) {
  const auto row = [&](std::int64_t b, std::int64_t count) {
    if (count == 0) return 0.0F;
    return pairwise_sum(0, time, [&](std::int64_t t) { return term(b, t); });
  };
  return pairwise(0, batch, 1, row, add);
}

// sums[c] = sum of x[b][c][t] over batch and time: the gradient of a bias.
inline void channel_sums(const float* x, Shape3 shape, float* sums) {
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    sums[c] = sum_batch_time(shape.batch, shape.time, [&](std::int64_t b, std::int64_t t) {
      return x[(b * shape.channels + c) * shape.time + t];
    });
  }
}

}  // namespace gridlock::kernels::cpu
