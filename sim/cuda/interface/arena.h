// All simulated device memory and pinned host memory of this process: one sparse memfd, so that the
// ranks of other processes can map it and copy directly. It has no name and vanishes with its
// users.
#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace sim {

struct ArenaInfo {
  int fd;            // of the memfd, open for the life of the process
  std::byte* base;   // where this process maps it
  std::size_t size;  // bytes of address space, mostly untouched
};

const ArenaInfo& arena();

// Whether `pointer` lies in the arena (device or pinned memory).
bool in_arena(const void* pointer);

// Memory for the simulation itself (staging buffers), which counts against no device. Never blocks.
// Null if the arena is full.
void* arena_allocate(std::size_t bytes);
void arena_free(void* pointer);

// Counts memory against a device, as if it were allocated there. Never blocks.
//   Returns  false if the device has too little left
bool take_memory(int device, std::size_t bytes);
void give_memory_back(int device, std::size_t bytes);

}  // namespace sim
#pragma GCC visibility pop
