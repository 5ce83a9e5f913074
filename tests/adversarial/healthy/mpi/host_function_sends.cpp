// Rank 1 waits for a message of rank 0's, which sends it when a message of rank 1's has come. That
// one is sent by a host function, after a second of work.
// Naive view: the thread that runs host functions has made no call and will make none.
// Expected: completes.
#include <mpi.h>

#include "tests/adversarial/setup/mutual.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  return wait_for_each_other(argc, argv, [](cudaStream_t stream) {
    check(cudaLaunchHostFunc(stream, send_after_work, nullptr));
  });
}
