// The program's function that copies an attribute makes an all-reduce of NCCL on another
// communicator, as libraries do that keep one beside each of MPI's. Both ranks make another one
// after it, and rank 1 comes late.
// Naive view: what happens inside a recorded call of MPI is MPI's, so rank 0 is one call behind.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

namespace {

struct Reduces {
  ncclComm_t world;
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  void operator()(std::size_t count) const {
    all_reduce(world, stream, data, count);
    check(cudaStreamSynchronize(stream));
  }
};

int reduce(MPI_Comm, int, void*, void* with, void*, int* flag) {
  (*static_cast<const Reduces*>(with))(16);
  *flag = 0;
  return MPI_SUCCESS;
}

}  // namespace

int program(int argc, char** argv) {
  const Mpi mpi(argc, argv);
  Reduces reduces{.world = mpi.join_by_nccl()};
  if (mpi.rank == 0) {
    int key = 0;
    MPI_Comm_create_keyval(reduce, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &reduces);
  } else {
    reduces(16);
  }
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_free(&twin);
  for (std::size_t count = 32; count < 40; ++count) {
    if (mpi.rank == 1 && count == 36) pause_ms(900);
    reduces(count);
  }
  return 0;
}
