// Rank 0 puts an all-reduce and a message to rank 1 into one group. Rank 1 waits for the message
// before it joins the all-reduce, and is late for that. The two go side by side.
// Naive view: the message comes behind the all-reduce, for which rank 1 does not come.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  float* more = device_floats();
  if (rank() == 0) {
    check(ncclGroupStart());
    all_reduce(world, stream, data);
    check(ncclSend(more, 16, ncclFloat, 1, world, stream));
    check(ncclGroupEnd());
  } else {
    check(ncclRecv(more, 16, ncclFloat, 0, world, stream));
    check(cudaStreamSynchronize(stream));
    pause_ms(400);
    all_reduce(world, stream, data);
  }
  check(cudaStreamSynchronize(stream));
  return 0;
}
