// Who owns which piece of the arena, and how much of each simulated device's memory is in use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

enum class Space : std::uint8_t { kDevice, kHost, kInternal };

struct Allocation {
  void* base;
  std::size_t bytes;  // as asked for
  int device;         // whose memory, or the device that was current (pinned memory)
  Space space;
  unsigned int flags;  // of cudaHostAlloc
};

// A piece of memory. If `space` is kDevice, it counts against `device`. Null if the device's memory
// (for other spaces, the arena) has no gap that is large enough.
void* allocate(std::size_t bytes, int device, Space space, unsigned int flags = 0);

// False if `base` is not the start of an allocation in `space`.
bool release(void* base, Space space);

// Reuses the allocation at `base` for a request of `bytes` with the same rounded size.
void serve_again(void* base, std::size_t bytes);

// The allocation that `pointer` points into. False if there is none.
bool find_allocation(const void* pointer, Allocation& found);

// Frees all of a device's memory (cudaDeviceReset).
void release_device(int device);

// Counts memory outside the arena against the device. False if the device has too little left.
bool take(std::size_t bytes, int device);
void give_back(std::size_t bytes, int device);

// Bytes of the device's memory that are in use in this process.
std::size_t memory_used(int device);

// Which part of the arena a pointer lies in, by its address alone; freed memory counts too.
bool in_device_memory(const void* pointer);
bool in_pinned_memory(const void* pointer);

}  // namespace sim
