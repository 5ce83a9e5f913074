// Rank 1 waits for a message of rank 0's, which sends it when a message of rank 1's has come. That
// one is sent by a host function behind an all-reduce to which rank 0 has come, behind a kernel of
// its own that takes a second.
// Naive view: the next thing on rank 1's stream calls nothing.
// Expected: completes.
#include <gridlock_sim/launch.h>
#include <mpi.h>

#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  ncclUniqueId id;
  if (self == 0) check(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  check(cudaSetDevice(self));
  ncclComm_t all = nullptr;
  check(ncclCommInitRank(&all, 2, id, self));
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(all, stream, data);
  check(cudaStreamSynchronize(stream));
  check(sim::launch(stream, [] {
    const Deadline end = in_ms(1000);
    while (!end.is_over()) {
    }
  }));
  all_reduce(all, stream, data);
  if (self == 1)
    check(cudaLaunchHostFunc(
        stream, [](void*) { send(0); }, nullptr));
  receive(1 - self);
  if (self == 0) send(1);
  check(cudaDeviceSynchronize());
  MPI_Finalize();
  return 0;
}
