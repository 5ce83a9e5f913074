// The ranks exchange messages while a thread of each captures without a pause. Then rank 1 leaves
// one exchange out.
// Naive view: no mark is put on a stream while anything is captured, so how far the messages have
// come is not known.
// Expected: deadlock.
#include "tests/adversarial/setup/captures_without_pause.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  const auto exchange = [&] {
    check(ncclGroupStart());
    check(ncclSend(data, 8, ncclFloat, 1 - rank(), world, stream));
    check(ncclRecv(data + 512, 8, ncclFloat, 1 - rank(), world, stream));
    check(ncclGroupEnd());
  };
  check(cudaDeviceSynchronize());
  {
    const CapturesWithoutPause captures;
    for (int i = 0; i < 100; ++i) exchange();
    if (rank() == 0) exchange();
    pause_ms(20);
  }
  check(cudaStreamSynchronize(stream));
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
