// Rank 1 sends rank 0 a request over TCP and waits for the answer. Rank 0 is in a collective, and
// does not read the request.
// Naive view: there are data in transit on the connection, so rank 1 may be about to wake.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const int listener = rank() == 0 ? store_listener() : -1;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  const int peer = rank() == 0 ? accept(listener, nullptr, nullptr) : store_client();
  close(listener);
  if (rank() == 1) {
    tell(peer);
    be_told(peer);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) {
    be_told(peer);
    tell(peer);
  }
  return 0;
}
