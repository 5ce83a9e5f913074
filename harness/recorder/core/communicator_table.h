// The table of communicators, for the files that keep it: communicators.cpp who is in it, slots.cpp
// what was called on each.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/words.h"
#include "harness/recorder/core/communicators.h"

namespace gridlock::recorder {

struct Communicator {
  record::CommunicatorEntry entry;
  std::uint64_t count = 0;  // where its id is counted; 0: nowhere
  std::uint32_t parent = record::kNone;
  bool blocking = true;
  CallCount collectives = 0;
  std::atomic<std::uint32_t> children = 0;
  std::atomic<std::uint64_t> connected[static_cast<int>(record::Call::scatter) + 1] = {};
};

extern Communicator g_communicators[record::kCommunicators];

// Frees the pairs of communicators that are over: only when there is no room for another pair.
//   Blocks   for a thread that adds a communicator
void reclaim_pairs();

}  // namespace gridlock::recorder
