// Progress without write-value operations: an event after each operation, looked at by a thread.
// Coarser than the words, and marked as such in the box.
#pragma once

#include <cstdint>

namespace gridlock::recorder {

// Records an event on `stream` now; when it is done the stream's words become `position`.
// When there is no event for it, the position is left to a later one, and the box says so.
//   Blocks   no (the first call starts the thread)
[[gnu::noinline, gnu::cold]] void poll_for(std::uint32_t stream, std::uint64_t position);

}  // namespace gridlock::recorder
