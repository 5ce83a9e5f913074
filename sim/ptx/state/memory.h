// What device code may touch of the host's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace sim::ptx {

// Thread-safe. Memory that a running kernel still uses must not be removed: a warp remembers the
// ranges that it found, and notices a removal when its turn comes next, not between two
// instructions.
class Memory {
 public:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    bool writable = false;
  };

  // Ranges may touch and must not overlap; what overlaps replaces what was there.
  void add(const void* begin, std::size_t bytes, bool writable = true);
  void remove(const void* begin);

  // The range that holds `address`; `bytes` is 0 where there is none.
  Range find(std::uint64_t address) const;

  // Grows with each change.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Range> ranges_;
  std::atomic<std::uint64_t> generation_{1};
};

}  // namespace sim::ptx
