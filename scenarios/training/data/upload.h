// Copies batches to the device through pinned memory, two batches deep, like a loader with pinned
// memory and prefetching.
#pragma once

#include <array>
#include <cstddef>

#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/event.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/training/data/dataset.h"

namespace gridlock {

class Upload {
 public:
  static constexpr std::size_t kRoom = 16384;  // floats of a batch, targets included

  explicit Upload(Rank& rank);

  // Enqueues the copy of `batch`, with the given lengths (those after subsampling).
  //   Blocks  until the copy of the batch before the last is done
  //   Errors  std::length_error if a batch has more than kRoom floats: enlarging the pinned memory
  //           would wait for the device in the middle of training
  void copy(const Batch& batch, const std::vector<int>& lengths);

  float* x() const { return x_.data(); }
  float* targets() const { return targets_.data(); }
  int* lengths() const { return lengths_.data(); }

 private:
  struct Slot {
    PinnedBuffer<float> floats;  // x, then targets
    PinnedBuffer<int> lengths;
    Event copied;
  };
  Rank& rank_;
  std::array<Slot, 2> slots_;
  std::size_t next_ = 0;
  Buffer<float> x_, targets_;
  Buffer<int> lengths_;
};

}  // namespace gridlock
