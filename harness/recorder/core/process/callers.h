// The return addresses above a recorded call, found by walking frame pointers within the thread's
// own stack. Code built without frame pointers may cut the walk short or mislead it, but never
// makes it fault.
#pragma once

#include <cstdint>

#include "harness/record/snapshot.h"

namespace gridlock::recorder {

struct StackBounds {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  bool contains(std::uintptr_t address) const { return address >= low && address < high; }
};

// Of the calling thread. May allocate, so it is called once per thread.
StackBounds stack_bounds();

// `frame` is __builtin_frame_address(0) of the function that the program called: the recorder and
// its callers are laid out as [caller's frame, return address].
inline void walk_callers(const void* frame, const StackBounds& stack,
                         std::uint64_t (&callers)[record::kCallers]) {
  std::uintptr_t low = stack.low;
  constexpr std::uintptr_t kRecord = 2 * sizeof(void*);
  constexpr std::uint64_t kNullPage = 4096;
  for (std::uint64_t& caller : callers) {
    const auto at = reinterpret_cast<std::uintptr_t>(frame);
    if (at < low || at > stack.high - kRecord || at % sizeof(void*) != 0) return;
    const auto* record = static_cast<const void* const*>(frame);
    const auto address = reinterpret_cast<std::uint64_t>(record[1]);
    if (address < kNullPage) return;
    caller = address;
    low = at + kRecord;
    frame = record[0];
  }
}

}  // namespace gridlock::recorder
