// An all-reduce of MPI uses an operator of the program's own. On rank 0 the operator works for a
// second on what rank 1 sent, and then writes to rank 3, which joins the all-reduce only then.
// Naive view: rank 0 waits in the all-reduce for rank 3, and rank 3 for rank 0.
// Expected: completes.
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 4, .by_mpiexec = true};

static int to_peer = -1;

static void add(void* from, void* to, int* count, MPI_Datatype* /*type*/) {
  if (to_peer >= 0) {
    pause_ms(1000);
    if (write(to_peer, "x", 1) != 1) std::_Exit(5);
    to_peer = -1;
  }
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<int*>(from)[i];
}

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  const std::string path = shared_file("fifo");
  mkfifo(path.c_str(), 0600);
  MPI_Barrier(MPI_COMM_WORLD);
  if (self == 0) to_peer = open(path.c_str(), O_WRONLY);
  const int from_peer = self == 3 ? open(path.c_str(), O_RDONLY) : -1;
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(add, 0, &own);
  char word = 0;
  if (self == 3 && read(from_peer, &word, 1) != 1) return 6;
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, own, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == 4 ? 0 : 7;
}
