// Operations that are launched together: what one thread announced in a group, or one call alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/nccl/bits.h"

namespace gridlock::recorder {

struct Batch {
  std::uint32_t thread = record::kNone;
  std::uint32_t communicator = record::kNone;  // the first
  std::uint64_t first = 0;                     // in the ring: its operations are among those
  std::uint64_t end = 0;
  std::uint64_t called = 0;  // launches before the vendor was called
  Bits<record::kStreams> streams = {};
  Bits<record::kCommunicators> communicators = {};
};

// The vendor has put it on the streams: gives out positions and slots, and marks the ends.
void launch(const Batch& batch);
// The vendor has refused it.
void drop(const Batch& batch, std::uint8_t result);

// A communicator that does not block may put its work on the streams later than we return: what was
// called counts from now on, and is on a stream when the communicator says that it is done.
[[gnu::noinline, gnu::cold]] void launch_later(const Batch& batch);
// The communicator says so, to the thread that called.
[[gnu::noinline, gnu::cold]] void launch_deferred_now(std::uint32_t communicator);
extern constinit std::atomic<std::uint32_t> g_deferred;
inline void launch_deferred(std::uint32_t communicator) {
  if (g_deferred.load(std::memory_order_relaxed) != 0) [[unlikely]]
    launch_deferred_now(communicator);
}

}  // namespace gridlock::recorder
