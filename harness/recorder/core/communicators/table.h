// The table of communicators, shared by the files that maintain it: communicators.cpp (the
// entries), handles.cpp, calls.cpp (what is called on each) and slots.cpp (its collectives).
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/words.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {

struct Communicator {
  record::CommunicatorEntry entry;
  std::uint64_t count = 0;  // key under which its id is counted; 0: none
  std::uint32_t parent = record::kNone;
  bool blocking = true;
  std::atomic<std::uint64_t> handle = 0;  // while it is valid
  CallCount collectives = 0;
  std::atomic<std::uint32_t> children = 0;
  std::atomic<std::uint64_t> connected[static_cast<int>(record::Call::scatter) + 1] = {};
};

extern Communicator g_communicators[record::kCommunicators];

inline std::uint64_t key_of(ncclComm_t handle) { return reinterpret_cast<std::uint64_t>(handle); }

// Copies the entry into the box.
inline void show(std::uint32_t index) { writer().put(index, g_communicators[index].entry); }

// Frees the pairs of communicators that are over. Called only if there is no room for another pair.
//   Blocks   for a thread that adds a communicator
void reclaim_pairs();

}  // namespace gridlock::recorder
