// Whether this process records, and where. A process claims the box of its local rank at its first
// call that is recorded, so the shells and launchers that start a rank never do.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/writer.h"

namespace gridlock::recorder {

enum class Recording : std::uint8_t {
  undecided,
  deciding,
  on,
  off,
  elsewhere,  // another process of the rank has claimed the box
};

extern constinit std::atomic<Recording> g_recording;

// Finds and claims the box. Returns whether that succeeded.
//   Blocks   while another thread of the process is claiming it
[[gnu::noinline, gnu::cold]] bool decide_recording();

// Whether it has been claimed. A forked child does not record any more.
inline bool has_begun_recording() {
  return g_recording.load(std::memory_order_relaxed) == Recording::on;
}

inline bool recording() {
  const Recording recording = g_recording.load(std::memory_order_acquire);
  if (recording == Recording::on) [[likely]]
    return true;
  return recording <= Recording::deciding && decide_recording();
}

// This process is about to make a communicator, or to initialise MPI. If another process of the
// rank claimed the box before (a helper that looks at the device) and has done neither, this
// process records from now on, in the rank's second box.
[[gnu::noinline, gnu::cold]] void take_over_recording();
// Whether another program, or this process before exec, had the box before.
bool is_successor();

extern constinit record::Writer g_writer;

// REQUIRES: recording()
inline record::Writer& writer() { return g_writer; }

}  // namespace gridlock::recorder
