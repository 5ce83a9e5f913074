// Numbers of MPI's messages: how many with the same peer and tag were sent, or received, before.
#pragma once

#include <cstdint>

#include "harness/record/snapshot.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/mpi/abi.h"

namespace gridlock::recorder {

// Of the send, receive or probe that is being called. A receive of anything has none, and what is
// called while one is under way cannot be numbered: the communicator becomes uncertain.
std::uint64_t number_message(record::Call call, std::uint32_t communicator, int peer, int tag);

// A receive of anything is over, and has got what `status` says; null: not known.
void end_of_wild(std::uint32_t communicator, ThreadState& thread, const mpi::Status* status);
// A message was taken that no recorded receive had asked for (a matched probe).
void got_message(std::uint32_t communicator, ThreadState& thread, const mpi::Status& status);

// The entry of the communicator is used anew.
void forget_messages(std::uint32_t communicator);

}  // namespace gridlock::recorder
