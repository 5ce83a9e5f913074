// Rank 2 leaves out the reduction of the loss to rank 0. Rank 0 waits for it as NCCL's guide says:
// it asks the stream whether it is done, and NCCL whether there was an error, in turn. The others
// wait in the next all-reduce. Naive view: NCCL's last answer was that all is well, so rank 0 waits
// for nothing. Expected: no proof, because rank 0 can act; a stall that blames rank 2.
#include <sched.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {2}).or_as("stall", "missing_rank", {2}),
    .ranks = 4,
    .options = {"--stall-limit", "3s"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t log = twin_of(world);
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto wait = [&](ncclComm_t communicator) {
    if (rank() != 0) return check(cudaStreamSynchronize(stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
      ncclResult_t state = ncclSuccess;
      check(ncclCommGetAsyncError(communicator, &state));
      check(state);
      sched_yield();
    }
  };
  for (int step = 0; step < 3; ++step) {
    if (rank() != 2 || step != 1) {
      check(ncclReduce(data, data, 64, ncclFloat, ncclSum, 0, log, stream));
      wait(log);
    }
    all_reduce(world, stream, data);
    wait(world);
  }
  return 0;
}
