// Rank 1 waits for a message of rank 0's, which sends it when a message of rank 1's has come. That
// one is sent by a host function of a CUDA graph, after a second of work.
// Naive view: a graph launch is nothing that calls MPI.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/graph.h"
#include "tests/adversarial/setup/mutual.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  return wait_for_each_other(argc, argv, [](cudaStream_t stream) {
    const cudaGraphExec_t graph =
        captured(stream, [&] { check(cudaLaunchHostFunc(stream, send_after_work, nullptr)); });
    check(cudaGraphLaunch(graph, stream));
  });
}
