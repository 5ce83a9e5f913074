// The registered ranges, by start address.
#include "sim/cuda/memory/registered.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

#include "sim/cuda/memory/visible.h"

namespace sim {
namespace {

struct Range {
  std::uintptr_t end;
  Registration registration;
};

struct Ranges {
  std::mutex mutex;
  std::map<std::uintptr_t, Range> by_begin;
};

Ranges& ranges() {
  static Ranges& value = *new Ranges;
  return value;
}

}  // namespace

cudaError_t register_host(void* base, std::size_t bytes, const Registration& registration) {
  if (base == nullptr || bytes == 0) return cudaErrorInvalidValue;
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  const std::uintptr_t end = begin + bytes;
  const std::lock_guard lock(ranges().mutex);
  auto& map = ranges().by_begin;
  const auto next = map.lower_bound(begin);
  if (next != map.end() && next->first < end) return cudaErrorHostMemoryAlreadyRegistered;
  if (next != map.begin() && std::prev(next)->second.end > begin) {
    return cudaErrorHostMemoryAlreadyRegistered;
  }
  map.emplace(begin, Range{end, registration});
  visible().add(base, bytes);
  return cudaSuccess;
}

cudaError_t unregister_host(void* base) {
  const std::lock_guard lock(ranges().mutex);
  const bool known = ranges().by_begin.erase(reinterpret_cast<std::uintptr_t>(base)) != 0;
  if (known) visible().remove(base);
  return known ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

std::optional<Registration> find_registered(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::lock_guard lock(ranges().mutex);
  const auto& map = ranges().by_begin;
  const auto next = map.upper_bound(address);
  if (next == map.begin() || std::prev(next)->second.end <= address) return {};
  return std::prev(next)->second.registration;
}

}  // namespace sim
