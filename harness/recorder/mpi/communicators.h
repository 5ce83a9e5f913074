// MPI's communicators: found by handle, told apart by ids that are equal on all members.
#pragma once

#include <cstdint>

#include "harness/recorder/mpi/mpi.h"

namespace gridlock::recorder {

// MPI_Init is being called: the world, as far as the launcher's variables say. kNone without them.
std::uint32_t open_world();
// It has returned.
void opened_world(std::uint32_t world, int result);

// A call has made `child` of `parent`, one of several perhaps: every member gives it the id of its
// first member's rank in the parent, and of how many were made of the parent before.
void opened_child(std::uint32_t parent, Word parent_handle, Word child_handle, const char* name);
// A call of which this rank has got no child, or one that is not recorded.
void skipped_child(std::uint32_t parent);

void close_communicator(Word handle);

}  // namespace gridlock::recorder
