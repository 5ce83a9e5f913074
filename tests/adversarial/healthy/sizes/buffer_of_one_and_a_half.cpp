// The simulation refuses the size GRIDLOCK_SIM_BUFFER=1.5M, says so, and keeps its default. Both
// ranks send 100 KB first, which fits.
// Naive view: a second parser reads 1 byte, so both senders wait for each other.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .environment = {"GRIDLOCK_SIM_BUFFER=1.5M"}};

int program(int, char**) {
  constexpr std::size_t kCount = 25000;
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats(2 * kCount);
  const int peer = 1 - rank();
  hold(stream);  // so that both have called before either sends
  check(ncclSend(data, kCount, ncclFloat, peer, world, stream));
  pause_ms(rank() == 0 ? 100 : 150);
  check(cudaStreamSynchronize(stream));
  check(ncclRecv(data + kCount, kCount, ncclFloat, peer, world, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}
