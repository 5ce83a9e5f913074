// Progress words: what the device itself writes into the box as a stream moves on.
#pragma once

#include <cstdint>

namespace gridlock::recorder {

// Makes the page of the words known to CUDA, once per process. Registering memory may synchronise,
// so this comes before anything can be in flight: at the first communicator's init.
[[gnu::noinline, gnu::cold]] void prepare_progress();

// Enqueues on `stream`, before and after an operation, that its word becomes `position`.
//   Blocks   no
void mark_started(std::uint32_t stream, std::uint64_t position);
void mark_completed(std::uint32_t stream, std::uint64_t position);

// A communicator that does not block may put its work on the stream later than we return: the word
// is enqueued when the communicator says that it is done, or with the next mark on the stream.
void complete_later(std::uint32_t stream, std::uint64_t position, std::uint32_t communicator);
void complete_deferred(std::uint32_t communicator);

}  // namespace gridlock::recorder
