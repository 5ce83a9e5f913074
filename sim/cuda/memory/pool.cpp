// The memory that was freed in a stream but not yet released, by address.
#include "sim/cuda/memory/pool.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/heap.h"

namespace sim {
namespace {

struct Pending {
  std::size_t bytes;  // rounded
  int device;
  Mark freed;
  std::uint64_t number;
};

struct Pool {
  std::mutex mutex;
  std::map<void*, Pending> pending;
  std::uint64_t frees = 0;
};

Pool& pool() {
  static Pool& value = *new Pool;
  return value;
}

// Releases the memory, unless it was allocated again before the stream reached this point.
struct Release final : Work {
  Release(void* freed, std::uint64_t free_number) : base(freed), number(free_number) {}
  void run() override {
    const std::lock_guard lock(pool().mutex);
    const auto entry = pool().pending.find(base);
    if (entry == pool().pending.end() || entry->second.number != number) return;
    pool().pending.erase(entry);
    release(base, Space::kDevice);
  }
  void* base;
  std::uint64_t number;
};

}  // namespace

void* pool_allocate(std::size_t bytes, Stream& stream) {
  const std::size_t need = Heap::rounded(bytes);
  const std::lock_guard lock(pool().mutex);
  auto& pending = pool().pending;
  for (auto entry = pending.begin(); entry != pending.end(); ++entry) {
    if (entry->second.freed.stream != &stream || entry->second.bytes != need) continue;
    void* base = entry->first;
    pending.erase(entry);
    serve_again(base, bytes);
    return base;
  }
  if (void* base = allocate(bytes, stream.device(), Space::kDevice)) return base;
  auto best = pending.end();
  for (auto entry = pending.begin(); entry != pending.end(); ++entry) {
    if (entry->second.device != stream.device() || entry->second.bytes < need) continue;
    if (best == pending.end() || entry->second.bytes < best->second.bytes) best = entry;
  }
  if (best == pending.end()) return nullptr;
  void* base = best->first;
  const Mark freed = best->second.freed;
  pending.erase(best);
  static_cast<void>(wait_in_stream(stream, freed));
  return base;
}

cudaError_t pool_free(void* base, Stream& stream) {
  Allocation allocation;
  if (!find_allocation(base, allocation) || allocation.base != base ||
      allocation.space != Space::kDevice) {
    return cudaErrorInvalidValue;
  }
  const std::lock_guard lock(pool().mutex);
  if (pool().pending.contains(base)) return cudaErrorInvalidValue;
  Pending freed{.bytes = Heap::rounded(allocation.bytes),
                .device = allocation.device,
                .freed = {},
                .number = ++pool().frees};
  const cudaError_t error =
      stream.push(std::make_unique<Release>(base, freed.number), &freed.freed);
  if (error == cudaSuccess) pool().pending.emplace(base, freed);
  return error;
}

bool freed_in_stream(void* base) {
  const std::lock_guard lock(pool().mutex);
  return pool().pending.contains(base);
}

}  // namespace sim
