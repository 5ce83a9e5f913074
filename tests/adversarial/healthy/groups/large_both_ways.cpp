// Both ranks send 64 MiB before they receive. That would deadlock, but in a group both messages
// move at once. Rank 1 comes 300 ms late with its group, and uses the two communicators in the
// other order.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  constexpr std::size_t kCount = 16U << 20U;
  ncclComm_t world = join_world();
  ncclComm_t twin = twin_of(world);
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  float* out = device_floats(kCount);
  float* in = device_floats(kCount);
  const int peer = 1 - rank();
  if (rank() == 1) pause_ms(300);
  ncclComm_t first = rank() == 0 ? world : twin;
  ncclComm_t second = rank() == 0 ? twin : world;
  check(ncclGroupStart());
  check(ncclSend(out, kCount, ncclFloat, peer, first, first == world ? stream : other));
  check(ncclRecv(in, kCount, ncclFloat, peer, first, first == world ? stream : other));
  check(ncclSend(out, kCount, ncclFloat, peer, second, second == world ? stream : other));
  check(ncclRecv(in, kCount, ncclFloat, peer, second, second == world ? stream : other));
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  return 0;
}
