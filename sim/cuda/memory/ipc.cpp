// Device memory of other processes. A handle says where the memory lies in the arena of the process
// that made the handle. Other processes open that arena through its descriptor.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/interface/arena.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/mappings.h"

namespace {

constexpr std::uint64_t kMark = 0x6370692d6d697321;

// What a cudaIpcMemHandle_t holds.
struct Contents {
  std::uint64_t mark = kMark;
  std::int64_t process = 0;
  std::uint64_t inode = 0;  // of the arena, because process ids are reused
  std::int32_t descriptor = -1;
  std::int32_t device = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(Contents) <= sizeof(cudaIpcMemHandle_t));

struct Opened {
  void* mapped = nullptr;  // starts at the page in which the memory begins
  std::size_t length = 0;
  unsigned int times = 1;
};

// Never destroyed: streams may still run while the process exits.
struct HandleBook {
  std::mutex mutex;
  std::map<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>, void*> by_contents;
  std::map<void*, Opened> opened;
};

HandleBook& handle_book() {
  static HandleBook& value = *new HandleBook;
  return value;
}

std::uint64_t inode_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

// -1 if the process is gone or may not be accessed.
int open_arena(const Contents& contents) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%d", static_cast<long long>(contents.process),
                contents.descriptor);
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0 || inode_of(descriptor) == contents.inode) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* devPtr) {
  return sim::api([&] {
    sim::Allocation allocation;
    if (handle == nullptr || !sim::find_allocation(devPtr, allocation) ||
        allocation.space != sim::Space::kDevice) {
      return cudaErrorInvalidValue;
    }
    const auto offset =
        static_cast<std::byte*>(allocation.base) - static_cast<std::byte*>(sim::arena().base);
    const Contents contents{.process = getpid(),
                            .inode = inode_of(sim::arena().fd),
                            .descriptor = sim::arena().fd,
                            .device = allocation.device,
                            .offset = static_cast<std::uint64_t>(offset),
                            .bytes = allocation.bytes};
    *handle = {};
    std::memcpy(handle->reserved, &contents, sizeof contents);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
  return sim::api([&] {
    Contents contents;
    std::memcpy(&contents, handle.reserved, sizeof contents);
    if (devPtr == nullptr || flags != cudaIpcMemLazyEnablePeerAccess || contents.mark != kMark) {
      return cudaErrorInvalidValue;
    }
    if (contents.process == getpid()) return cudaErrorDeviceUninitialized;  // CUDA refuses it, too
    HandleBook& books = handle_book();
    const std::lock_guard lock(books.mutex);
    const std::tuple key{contents.process, contents.inode, contents.offset};
    if (const auto known = books.by_contents.find(key); known != books.by_contents.end()) {
      ++books.opened[known->second].times;
      *devPtr = known->second;
      return cudaSuccess;
    }
    const int descriptor = open_arena(contents);
    if (descriptor < 0) return cudaErrorInvalidResourceHandle;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t before = contents.offset % page;
    const std::size_t length = contents.bytes + before;
    void* mapped = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        descriptor, static_cast<off_t>(contents.offset - before));
    close(descriptor);
    if (mapped == MAP_FAILED) return cudaErrorMemoryAllocation;
    void* memory = static_cast<std::byte*>(mapped) + before;
    books.by_contents.emplace(key, memory);
    books.opened.emplace(memory, Opened{mapped, length, 1});
    sim::add_mapping({.base = memory,
                      .bytes = contents.bytes,
                      .device = contents.device,
                      .memory = 0,
                      .access = 3});
    *devPtr = memory;
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* devPtr) {
  return sim::api([&] {
    HandleBook& books = handle_book();
    const std::lock_guard lock(books.mutex);
    const auto found = books.opened.find(devPtr);
    if (found == books.opened.end()) return cudaErrorInvalidValue;
    if (--found->second.times > 0) return cudaSuccess;
    sim::remove_mapping(devPtr);
    munmap(found->second.mapped, found->second.length);
    std::erase_if(books.by_contents, [&](const auto& entry) { return entry.second == devPtr; });
    books.opened.erase(found);
    return cudaSuccess;
  });
}
