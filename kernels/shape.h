// The shape of an activation: float32, contiguous, [batch][channels][time], time fastest.
#pragma once

#include <cstdint>

namespace gridlock::kernels {

// Every extent may be 0 (a rank with an empty batch still takes part in training).
struct Shape3 {
  int batch;
  int channels;
  int time;
};

constexpr std::int64_t elements(Shape3 shape) {
  return static_cast<std::int64_t>(shape.batch) * shape.channels * shape.time;
}

// How many values of one channel there are.
constexpr std::int64_t per_channel(Shape3 shape) {
  return static_cast<std::int64_t>(shape.batch) * shape.time;
}

constexpr bool valid(Shape3 shape) {
  return shape.batch >= 0 && shape.channels >= 0 && shape.time >= 0;
}

}  // namespace gridlock::kernels
