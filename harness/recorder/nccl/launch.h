// Operations that are launched together: what one thread announced in a group, or a single call.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/nccl/bits.h"

namespace gridlock::recorder {

// How many calls of a group on one communicator have not come to their end. Others may push them
// out of the ring before that.
struct Tally {
  std::uint32_t collectives = 0;
  std::uint32_t others = 0;  // messages, and calls that go into a CUDA graph

  std::uint32_t& of(record::Call call, bool captured) {
    return record::is_collective(call) && !captured ? collectives : others;
  }
};

struct Batch {
  std::uint32_t thread = record::kNone;
  std::uint32_t communicator = record::kNone;  // the first
  std::uint64_t first = 0;                     // in the ring: its operations are in this range
  std::uint64_t end = 0;
  std::uint64_t called = 0;  // launches before the vendor was called
  Bits<record::kStreams> streams = {};
  Bits<record::kCommunicators> communicators = {};
  Tally* tallies = nullptr;  // of a group, by communicator; null for a call that is launched alone
};

// The vendor has put the batch on the streams: hands out positions and slots, and marks the ends.
void launch(const Batch& batch);
// Some of its operations came to nothing, before it is launched.
[[gnu::noinline, gnu::cold]] void leave_streams_without_work(Batch& batch);
// The vendor has refused it.
void drop(const Batch& batch, std::uint8_t result);

// A non-blocking communicator may put its work on the streams after the call returns. The calls
// count from now on, but are on a stream only when the communicator reports that it is done.
[[gnu::noinline, gnu::cold]] void launch_later(const Batch& batch);
// The communicator reports this, to the thread that called, or to one that has asked since.
// `noted`: deferrals_noted() before it was asked; 0: it answers the thread that called.
[[gnu::noinline, gnu::cold]] void launch_deferred_now(std::uint32_t communicator,
                                                      std::uint64_t noted);
extern constinit std::atomic<std::uint32_t> g_deferred;
inline void launch_deferred(std::uint32_t communicator, std::uint64_t noted = 0) {
  if (g_deferred.load(std::memory_order_relaxed) != 0) [[unlikely]]
    launch_deferred_now(communicator, noted);
}
// How many batches were ever left to be launched later.
std::uint64_t deferrals_noted();

}  // namespace gridlock::recorder
