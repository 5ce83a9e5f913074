// MPI's communicators. A handle identifies one on its rank; an id identifies it on all ranks.
#pragma once

#include <cstdint>

#include "harness/recorder/mpi/mpi.h"

namespace gridlock::recorder {

// The program is calling MPI_Init: adds the world, with the size and rank from the launcher's
// variables. kNone: the box has no room.
std::uint32_t open_world();
// MPI_Init has returned.
void opened_world(std::uint32_t world, int result);

// A call has made `child` of `parent`, perhaps one of several. Every member derives the same id:
// from the rank of the child's first member in the parent, and from how many calls made children of
// the parent before.
void opened_child(std::uint32_t parent, Word parent_handle, Word child_handle, const char* name);
// A call has made children of the parent, but this rank has none, or one that is not recorded.
void skipped_child(std::uint32_t parent);

// MPI has freed it. Another thread may have got the handle for a new one already.
void closed_communicator(std::uint32_t communicator, Word handle);
// MPI gives the handle to a communicator that is not recorded.
void forget_handle(Word handle);

}  // namespace gridlock::recorder
