// For a worker that runs programs without MPI only.
#include <cstdlib>

#include "tests/fuzz/live/worker_mpi.h"

namespace gridlock::fuzz {

int begin_mpi() { std::abort(); }
void end_mpi() { std::abort(); }
void call_mpi(const Instruction&) { std::abort(); }

}  // namespace gridlock::fuzz
