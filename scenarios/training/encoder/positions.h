// The encoder's positional buffer, which grows when a longer sequence arrives.
#pragma once

#include "scenarios/runtime/buffer.h"

namespace gridlock {

class Positions {
 public:
  Positions(int channels, int length, cudaStream_t stream);

  // Replaces the buffer if it is shorter than `length`. Not a collective: only this rank's buffer
  // grows.
  //   Blocks  no
  void grow_to(int length);

  int length() const { return length_; }
  std::size_t bytes() const { return values_.bytes(); }
  std::size_t size() const { return values_.size(); }
  float* data() const { return values_.data(); }  // [channels][length]

 private:
  int channels_;
  int length_ = 0;
  cudaStream_t stream_;
  Buffer<float> values_;
};

}  // namespace gridlock
