// cudaMemPool…: pools as objects. Every pool takes memory from its device and gives it back at
// once, so pools differ only in what they count.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/pool.h"

using sim::api;

namespace {

// What a cudaMemPool_t points to.
struct PoolObject {
  int device = 0;
  bool is_default = false;
  int reuse[3] = {1, 1, 1};  // by attribute; only stored, to be read back
  std::uint64_t threshold = 0;
  std::uint64_t used = 0;
  std::uint64_t high = 0;
};

// Never destroyed: streams may still run while the process exits.
struct PoolBook {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<PoolObject>> pools;
  std::map<int, PoolObject*> defaults;
  std::map<int, PoolObject*> current;
  std::map<const void*, std::pair<PoolObject*, std::size_t>> allocations;  // by address

  PoolObject* find(cudaMemPool_t handle) {
    const auto found = pools.find(handle);
    return found == pools.end() ? nullptr : found->second.get();
  }
  PoolObject& add(int device) {
    auto pool = std::make_unique<PoolObject>();
    pool->device = device;
    PoolObject& result = *pool;
    const void* key = pool.get();
    pools.emplace(key, std::move(pool));
    return result;
  }
  PoolObject& default_of(int device) {
    PoolObject*& pool = defaults[device];
    if (pool == nullptr) {
      pool = &add(device);
      pool->is_default = true;
    }
    return *pool;
  }
};

PoolBook& pool_book() {
  static PoolBook& value = *new PoolBook;
  return value;
}

cudaMemPool_t handle_of(PoolObject& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

// Applies `body` to the pool that `handle` means.
template <class Body>
cudaError_t with_pool(cudaMemPool_t handle, Body body) {
  return api([&] {
    const std::lock_guard lock(pool_book().mutex);
    PoolObject* pool = pool_book().find(handle);
    return pool == nullptr ? cudaErrorInvalidValue : body(*pool);
  });
}

cudaError_t answer_pool(cudaMemPool_t* result, int device, bool current) {
  return api([&] {
    if (result == nullptr) return cudaErrorInvalidValue;
    if (!sim::device_exists(device)) return cudaErrorInvalidDevice;
    const std::lock_guard lock(pool_book().mutex);
    PoolObject* set = current ? pool_book().current[device] : nullptr;
    *result = handle_of(set == nullptr ? pool_book().default_of(device) : *set);
    return cudaSuccess;
  });
}

}  // namespace

void sim::pool_took(const void* base, std::size_t bytes, int device, cudaMemPool_t handle) {
  const std::lock_guard lock(pool_book().mutex);
  PoolObject* pool = handle == nullptr ? pool_book().current[device] : pool_book().find(handle);
  if (pool == nullptr) pool = &pool_book().default_of(device);
  pool->used += bytes;
  pool->high = std::max(pool->high, pool->used);
  pool_book().allocations.insert_or_assign(base, std::pair{pool, bytes});
}

void sim::pool_gave_back(const void* base) {
  const std::lock_guard lock(pool_book().mutex);
  const auto found = pool_book().allocations.find(base);
  if (found == pool_book().allocations.end()) return;
  found->second.first->used -= found->second.second;
  pool_book().allocations.erase(found);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  return api([&] {
    if (memPool == nullptr || poolProps == nullptr ||
        poolProps->allocType != cudaMemAllocationTypePinned) {
      return cudaErrorInvalidValue;
    }
    if (poolProps->location.type != cudaMemLocationTypeDevice) {
      return sim::not_supported("a memory pool that is not a device's");
    }
    if (!sim::device_exists(poolProps->location.id)) return cudaErrorInvalidDevice;
    const std::lock_guard lock(pool_book().mutex);
    *memPool = handle_of(pool_book().add(poolProps->location.id));
    return cudaSuccess;
  });
}

// Memory from the pool stays allocated, and counts for the device's default pool.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return with_pool(memPool, [&](PoolObject& pool) {
    if (pool.is_default) return cudaErrorInvalidValue;
    PoolObject& heir = pool_book().default_of(pool.device);
    for (auto& [base, entry] : pool_book().allocations) {
      if (entry.first == &pool) entry.first = &heir;
    }
    heir.used += pool.used;
    heir.high = std::max(heir.high, heir.used);
    if (pool_book().current[pool.device] == &pool) pool_book().current[pool.device] = nullptr;
    pool_book().pools.erase(&pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return answer_pool(memPool, device, false);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  return answer_pool(memPool, device, true);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return with_pool(memPool, [&](PoolObject& pool) {
    if (!sim::device_exists(device)) return cudaErrorInvalidDevice;
    if (pool.device != device) return cudaErrorInvalidValue;
    pool_book().current[device] = &pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return with_pool(memPool, [&](PoolObject& pool) {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attr) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        pool.reuse[attr - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        pool.threshold = *static_cast<std::uint64_t*>(value);
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:  // can only be reset to 0
        if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        pool.high = pool.used;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return with_pool(memPool, [&](PoolObject& pool) {
    if (value == nullptr) return cudaErrorInvalidValue;
    switch (attr) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = pool.reuse[attr - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        *static_cast<std::uint64_t*>(value) = pool.threshold;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent:
        *static_cast<std::uint64_t*>(value) = pool.used;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        *static_cast<std::uint64_t*>(value) = pool.high;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

// Does nothing, because pools keep no free memory.
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t) {
  return with_pool(memPool, [](PoolObject&) { return cudaSuccess; });
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
  return api([&] {
    sim::Stream* target = sim::find_stream(stream);
    if (target == nullptr) return cudaErrorInvalidResourceHandle;
    {
      const std::lock_guard lock(pool_book().mutex);
      const PoolObject* pool = pool_book().find(memPool);
      if (pool == nullptr || ptr == nullptr) return cudaErrorInvalidValue;
      if (pool->device != target->device()) {
        return sim::not_supported("a stream that allocates from a pool of another device");
      }
    }
    *ptr = nullptr;
    if (const cudaError_t error = refuse_captured(*target); error != cudaSuccess) return error;
    if (size == 0) return cudaSuccess;
    *ptr = sim::pool_allocate(size, *target);
    if (*ptr == nullptr) return cudaErrorMemoryAllocation;
    sim::pool_took(*ptr, size, target->device(), memPool);
    return cudaSuccess;
  });
}
