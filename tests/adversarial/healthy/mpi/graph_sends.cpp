// Rank 1 waits for a message of rank 0's, which sends it when a message of rank 1's has come. That
// one is sent by a host function of a CUDA graph, after a second of work.
// Naive view: a graph launch is nothing that calls MPI.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  int provided = 0;
  int self = 0;
  int word = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 1) {
    check(cudaSetDevice(1));
    const cudaStream_t stream = make_stream();
    const auto sends = [](void*) {
      const Deadline end = in_ms(1000);
      while (!end.is_over()) {
      }
      int sent = 1;
      MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    };
    const cudaGraphExec_t graph =
        captured(stream, [&] { check(cudaLaunchHostFunc(stream, sends, nullptr)); });
    check(cudaGraphLaunch(graph, stream));
  }
  MPI_Recv(&word, 1, MPI_INT, 1 - self, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (self == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (self == 1) check(cudaDeviceSynchronize());
  MPI_Finalize();
  return 0;
}
