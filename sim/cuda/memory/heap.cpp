// Best fit: the smallest gap that is large enough; of equal gaps, the lowest. Adjacent gaps merge.
#include "sim/cuda/memory/heap.h"

#include <iterator>

namespace sim {
namespace {

constexpr std::size_t kAlignment = 512;

}  // namespace

Heap::Heap(std::size_t begin, std::size_t size) { insert(begin, size); }

std::size_t Heap::rounded(std::size_t bytes) {
  if (bytes == 0) return kAlignment;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::optional<std::size_t> Heap::allocate(std::size_t bytes) {
  const std::size_t need = rounded(bytes);
  if (need < bytes) return std::nullopt;
  const auto fit = by_size_.lower_bound({need, 0});
  if (fit == by_size_.end()) return std::nullopt;
  const auto [size, offset] = *fit;
  erase(by_offset_.find(offset));
  if (size > need) insert(offset + need, size - need);
  return offset;
}

void Heap::free(std::size_t offset, std::size_t bytes) {
  std::size_t begin = offset;
  std::size_t size = rounded(bytes);
  const auto next = by_offset_.lower_bound(offset);
  if (next != by_offset_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == begin) {
      begin = previous->first;
      size += previous->second;
      erase(previous);
    }
  }
  if (next != by_offset_.end() && begin + size == next->first) {
    size += next->second;
    erase(next);
  }
  insert(begin, size);
}

void Heap::insert(std::size_t offset, std::size_t bytes) {
  by_offset_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void Heap::erase(std::map<std::size_t, std::size_t>::iterator gap) {
  by_size_.erase({gap->second, gap->first});
  by_offset_.erase(gap);
}

}  // namespace sim
