// The MPI library that this program was linked with.
#pragma once

#include <string>

namespace gridlock::session {

// Its version, e.g. "MPICH 4.0.2". Empty if the program was built without MPI. Does not start MPI.
std::string mpi_version();

}  // namespace gridlock::session
