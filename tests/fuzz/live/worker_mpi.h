// The worker's calls of MPI. A worker that does not link MPI has stand-ins that are never called.
#pragma once

#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

// Returns       the rank
//   Collective  all ranks
int begin_mpi();

// Collective  all ranks
// Blocks      until all have come
void end_mpi();

// Collective  as the call of MPI that `call` stands for
// Blocks      until it is complete
void call_mpi(const Instruction& call);

}  // namespace gridlock::fuzz
