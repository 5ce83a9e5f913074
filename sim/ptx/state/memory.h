// The host memory that device code may touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace sim::ptx {

// Thread-safe. Do not remove memory that a running kernel still uses: a warp remembers the ranges
// that it found. It notices a removal only at its next turn, not between two instructions.
class Memory {
 public:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    bool writable = false;
  };

  // Ranges may touch but must not overlap. An overlapping range replaces the old ones.
  void add(const void* begin, std::size_t bytes, bool writable = true);
  void remove(const void* begin);

  // The range that holds `address`. Its `bytes` is 0 if there is none.
  Range find(std::uint64_t address) const;

  // Increases with each change.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Range> ranges_;
  std::atomic<std::uint64_t> generation_{1};
};

}  // namespace sim::ptx
