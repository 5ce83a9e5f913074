// Computes and grows the positional buffer.
#include "scenarios/training/encoder/positions.h"

#include "kernels/layers/positional.h"

namespace gridlock {

Positions::Positions(int channels, int length, cudaStream_t stream)
    : channels_(channels), stream_(stream) {
  grow_to(length);
}

void Positions::grow_to(int length) {
  if (length <= length_) return;
  length_ = length;
  values_ = Buffer<float>(static_cast<std::size_t>(channels_) * static_cast<std::size_t>(length),
                          stream_);
  check(kernels::launch_positional_fill(values_.data(), channels_, length, stream_));
}

}  // namespace gridlock
