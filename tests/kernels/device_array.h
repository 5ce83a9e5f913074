// Device memory for the kernel tests. Every byte that a kernel should write is poisoned first, and
// guards on both sides show writes that went too far. Builds for both back ends.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace gridlock::kernels::test {

// The value of an element that the kernel forgot: a NaN as a float, an implausible value as an int.
inline constexpr unsigned char kPoison = 0xff;
inline constexpr std::size_t kGuard = 64;  // elements; keeps the alignment that kernels look for

template <class T>
class DeviceArray {
 public:
  // `size` poisoned elements. `shift` of 1 to 3 makes the address unfit for vector loads.
  explicit DeviceArray(std::size_t size, std::size_t shift = 0)
      : size_(size), begin_(kGuard + shift), all_(size + shift + 2 * kGuard) {
    const std::size_t bytes = all_ * sizeof(T);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory_), bytes), cudaSuccess);
    const std::vector<unsigned char> poison(bytes, kPoison);
    EXPECT_EQ(cudaMemcpy(memory_, poison.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
    // A copy from pageable memory may return before it has arrived, and the tests' streams do not
    // wait for it.
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values, std::size_t shift = 0)
      : DeviceArray(values.size(), shift) {
    EXPECT_EQ(cudaMemcpy(data(), values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }

  T* data() { return memory_ + begin_; }
  const T* data() const { return memory_ + begin_; }

  // Waits for all that was launched, checks the guards and returns the elements.
  std::vector<T> read() const {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<T> all(all_);
    EXPECT_EQ(cudaMemcpy(all.data(), memory_, all_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_TRUE(poisoned(all, 0, begin_)) << "a kernel wrote before its output";
    EXPECT_TRUE(poisoned(all, begin_ + size_, all_)) << "a kernel wrote behind its output";
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin_);
    return {first, first + static_cast<std::ptrdiff_t>(size_)};
  }

 private:
  static bool poisoned(const std::vector<T>& all, std::size_t first, std::size_t last) {
    const std::vector<unsigned char> poison((last - first) * sizeof(T), kPoison);
    return std::memcmp(all.data() + first, poison.data(), poison.size()) == 0;
  }

  std::size_t size_;
  std::size_t begin_;
  std::size_t all_;
  T* memory_ = nullptr;
};

using Floats = DeviceArray<float>;
using Ints = DeviceArray<int>;

}  // namespace gridlock::kernels::test
