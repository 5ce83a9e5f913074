// Keeps the ranges of host memory that device code may touch.
#include "sim/ptx/state/memory.h"

#include <mutex>

namespace sim::ptx {

void Memory::add(const void* begin, std::size_t bytes, bool writable) {
  if (bytes == 0) return;
  const auto first = reinterpret_cast<std::uint64_t>(begin);
  const std::unique_lock lock(mutex_);
  auto range = ranges_.upper_bound(first);
  if (range != ranges_.begin()) {
    const auto before = std::prev(range);
    if (first - before->first < before->second.bytes) range = before;
  }
  while (range != ranges_.end() && range->first < first + bytes) range = ranges_.erase(range);
  ranges_[first] = {first, bytes, writable};
  generation_.fetch_add(1, std::memory_order_release);
}

void Memory::remove(const void* begin) {
  const std::unique_lock lock(mutex_);
  ranges_.erase(reinterpret_cast<std::uint64_t>(begin));
  generation_.fetch_add(1, std::memory_order_release);
}

Memory::Range Memory::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return {};
  --range;
  return address - range->first < range->second.bytes ? range->second : Range{};
}

}  // namespace sim::ptx
