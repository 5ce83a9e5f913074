// A group holds a good all-reduce and a call that is refused (a negative root), so the whole group
// is dropped on rank 0, on both communicators. Rank 0 repeats it correctly.
// Naive view: the dropped all-reduce keeps its slot, so rank 0 is one call ahead.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t twin = twin_of(world);
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) {
    check(ncclGroupStart());
    all_reduce(world, stream, data);
    all_reduce(twin, stream, data);
    ncclBroadcast(data, data, 8, ncclFloat, -7, world, stream);
    if (ncclGroupEnd() == ncclSuccess) return 5;
    pause_ms(300);
  }
  check(ncclGroupStart());
  all_reduce(world, stream, data);
  all_reduce(twin, stream, data);
  check(ncclGroupEnd());
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
