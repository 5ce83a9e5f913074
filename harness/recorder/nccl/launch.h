// Operations that are launched together: what one thread announced in a group, or a single call.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/nccl/bits.h"

namespace gridlock::recorder {

struct Batch {
  std::uint32_t thread = record::kNone;
  std::uint32_t communicator = record::kNone;  // the first
  std::uint64_t first = 0;                     // in the ring: its operations are in this range
  std::uint64_t end = 0;
  std::uint64_t called = 0;  // launches before the vendor was called
  Bits<record::kStreams> streams = {};
  Bits<record::kCommunicators> communicators = {};
};

// The vendor has put the batch on the streams: hands out positions and slots, and marks the ends.
void launch(const Batch& batch);
// The vendor has refused it.
void drop(const Batch& batch, std::uint8_t result);

// A non-blocking communicator may put its work on the streams after the call returns. The calls
// count from now on, but are on a stream only when the communicator reports that it is done.
[[gnu::noinline, gnu::cold]] void launch_later(const Batch& batch);
// The communicator reports this to the thread that called.
[[gnu::noinline, gnu::cold]] void launch_deferred_now(std::uint32_t communicator);
extern constinit std::atomic<std::uint32_t> g_deferred;
inline void launch_deferred(std::uint32_t communicator) {
  if (g_deferred.load(std::memory_order_relaxed) != 0) [[unlikely]]
    launch_deferred_now(communicator);
}

}  // namespace gridlock::recorder
