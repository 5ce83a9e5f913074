// Device memory and pinned host memory with an owner.
//
// No destructor may wait. Device memory is allocated and freed in stream order, because cudaFree
// may wait for the whole device and so hang for ever. Freeing pinned memory may always wait, so
// nothing frees it before the process ends.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "scenarios/runtime/check.h"

namespace gridlock {

template <typename T>
class Buffer {
 public:
  Buffer() = default;
  // `count` values, zeroed. Valid for work on `stream`, and on streams that wait for it.
  //   Blocks  no
  Buffer(std::size_t count, cudaStream_t stream) : count_(count), stream_(stream) {
    if (count == 0) return;
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, count * sizeof(T), stream));
    data_ = static_cast<T*>(memory);
    check(cudaMemsetAsync(data_, 0, count * sizeof(T), stream));
  }
  ~Buffer() {
    if (data_ != nullptr) static_cast<void>(cudaFreeAsync(data_, stream_));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept { return swap(other), *this; }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  // Makes room for `count` values. The old ones are lost if the buffer grows.
  void reserve(std::size_t count, cudaStream_t stream) {
    if (count > count_) *this = Buffer(count, stream);
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    std::swap(stream_, other.stream_);
  }
  T* data_ = nullptr;
  std::size_t count_ = 0;
  cudaStream_t stream_ = nullptr;
};

// Host memory for copies that do not make the host wait.
//   Blocks  the constructor may wait for the device, so construct it only during set-up
template <typename T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, (count == 0 ? 1 : count) * sizeof(T)));
    data_ = static_cast<T*>(memory);
  }
  T* data() const { return data_; }
  T& operator[](std::size_t index) const { return data_[index]; }
  std::size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace gridlock
