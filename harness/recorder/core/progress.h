// Progress words: what the device itself writes into the box as a stream moves on.
#pragma once

#include <cstdint>

namespace gridlock::recorder {

// Makes the page of the words known to CUDA, once per process. Registering memory may synchronise,
// so this comes before anything can be in flight: at the first communicator's init.
[[gnu::noinline, gnu::cold]] void prepare_progress();

// Enqueues on `stream` that its word becomes `position`: before an operation that is called, the
// next position to be handed out, since all before it are on the stream; after one that is
// launched, its own.
//   Blocks   no
void mark_started(std::uint32_t stream, std::uint64_t position);
void mark_started(std::uint32_t stream);  // the next position, whatever it is
void mark_completed(std::uint32_t stream, std::uint64_t position);

}  // namespace gridlock::recorder
