// Values that the runner and the worker must agree on.
#pragma once

#include <cstddef>

namespace gridlock::fuzz {

// GRIDLOCK_SIM_BUFFER of a worker. All small operations that a program may have in flight fit into
// it together; not even one large operation fits.
constexpr std::size_t kBufferBytes = 64UL * 1024;
constexpr std::size_t kSmallBytes = 256;
constexpr std::size_t kLargeBytes = 2 * kBufferBytes;

// Of a message that MPI does not send before it is received.
constexpr int kLargeMpiBytes = 4 * 1024 * 1024;

// The size of the file in which the ranks' processes meet: a flag, and then the ids.
constexpr std::size_t kMeetingBytes = 4096;

}  // namespace gridlock::fuzz
