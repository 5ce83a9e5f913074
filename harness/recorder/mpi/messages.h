// Numbers MPI's messages: how many with the same peer and tag were sent, or received, before.
#pragma once

#include <cstdint>

#include "harness/record/snapshot.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/mpi/abi.h"

namespace gridlock::recorder {

// Number of the send, receive or probe that the program is calling. A receive from any source or
// tag has none. If another receive is called while it is under way, the communicator becomes
// uncertain.
std::uint64_t number_message(record::Call call, std::uint32_t communicator, int peer, int tag);

// A receive from any source or tag is over and has got what `status` says; null: not known.
void end_of_wild(std::uint32_t communicator, ThreadState& thread, const mpi::Status* status);
// A matched probe has taken a message that no recorded receive had asked for.
void got_message(std::uint32_t communicator, ThreadState& thread, const mpi::Status& status);

// Another communicator takes over the entry.
void forget_messages(std::uint32_t communicator);

}  // namespace gridlock::recorder
