// Progress words: what the device itself writes into the box as a stream progresses.
#pragma once

#include <cstdint>

#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

// Registers the page of the words with CUDA, once per process. Registering memory may synchronize,
// so this happens before anything can be in flight: at the first communicator's init.
[[gnu::noinline, gnu::cold]] void prepare_progress();

// Enqueues on `stream` that its word becomes a position. Before a call, mark the start with the
// one that was foreseen, because everything before it is on the stream. After a launch, mark the
// end with the one that was enqueued last. The legacy stream gets no mark of a start.
//   Blocks   no
void mark_started(std::uint32_t stream);
void mark_completed(std::uint32_t stream);

// A mark takes microseconds, but where its thread gets no core, or its stream's queue is full.
// Nobody waits for one for longer than this.
constexpr std::int64_t kMarkedNs = 200'000'000;

// The thread's wait has ended well. What it covers is past, also where it got no mark.
//   Blocks   no
void note_waited(const ThreadState& thread, const Wait& wait);

}  // namespace gridlock::recorder
