// Copies batches to the device.
#include "scenarios/training/data/upload.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "scenarios/runtime/label.h"

namespace gridlock {

Upload::Upload(Rank& rank) : rank_(rank) {
  for (Slot& slot : slots_) {
    slot.floats = PinnedBuffer<float>(kRoom);
    slot.lengths = PinnedBuffer<int>(kRoom);
  }
}

void Upload::copy(const Batch& batch, const std::vector<int>& lengths) {
  const Label label("loader/upload");
  const cudaStream_t stream = rank_.stream();
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  check(cudaEventSynchronize(slot.copied.get()));
  const std::size_t floats = batch.x.size() + batch.targets.size();
  if (floats > kRoom || lengths.size() > kRoom) {
    throw std::length_error(
        fmt::format("a batch of {} floats is too large for the mini trainer's {}", floats, kRoom));
  }
  x_.reserve(batch.x.size(), stream);
  targets_.reserve(batch.targets.size(), stream);
  lengths_.reserve(lengths.size(), stream);

  std::copy(batch.x.begin(), batch.x.end(), slot.floats.data());
  float* targets = slot.floats.data() + batch.x.size();
  std::copy(batch.targets.begin(), batch.targets.end(), targets);
  std::copy(lengths.begin(), lengths.end(), slot.lengths.data());
  if (batch.size > 0) {
    check(cudaMemcpyAsync(x_.data(), slot.floats.data(), batch.x.size() * sizeof(float),
                          cudaMemcpyHostToDevice, stream));
    check(cudaMemcpyAsync(targets_.data(), targets, batch.targets.size() * sizeof(float),
                          cudaMemcpyHostToDevice, stream));
    check(cudaMemcpyAsync(lengths_.data(), slot.lengths.data(), lengths.size() * sizeof(int),
                          cudaMemcpyHostToDevice, stream));
  }
  check(cudaEventRecord(slot.copied.get(), stream));
}

}  // namespace gridlock
