// Who this process is among the ranks: torchrun's variables, or another launcher's.
#pragma once

#include <stdexcept>
#include <string>

namespace gridlock {

struct Environment {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  std::string master_addr;
  int master_port = 0;
};

struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. If none of the
// first four is set, it reads the variables of MPICH's, Slurm's or Open MPI's launcher. torchrun
// listens on MASTER_PORT itself, so there `master_port` is the port beside it.
//   Errors  EnvironmentError that names the variable and says what it should hold
Environment read_environment();

}  // namespace gridlock
