// Progress without write-value operations: an event after each operation, which a thread polls.
// Coarser than device-written words, and marked so in the box.
#pragma once

#include <cstdint>

namespace gridlock::recorder {

// Records an event on `stream` now; when it is done, the stream's words become `position`. If there
// is no free event, a later one covers the position, and the box says so.
//   Blocks   no (the first call starts the thread)
[[gnu::noinline, gnu::cold]] void poll_for(std::uint32_t stream, std::uint64_t position);

// Nobody will see that the position is past. The box says so, until a later one is.
void note_missed(std::uint32_t stream, std::uint64_t position);

}  // namespace gridlock::recorder
