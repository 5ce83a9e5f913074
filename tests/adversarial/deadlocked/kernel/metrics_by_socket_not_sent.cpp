// Rank 1 waits for rank 2's metrics on a local socket before each step. In the last one rank 2 does
// not send them, and all but rank 1 go on to the all-reduce.
// Naive view: rank 1 alone is missing there, so it is to blame.
// Expected: deadlock; ranks 1 and 2 wait for each other.
#include <sys/un.h>

#include <cstring>

#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = deadlock("cycle", {1, 2}), .ranks = 4};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, shared_file("metrics").c_str());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (rank() == 1) {
    demand(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    demand(listen(listener, 4) == 0);
  }
  all_reduce(world, stream, x);
  check(cudaStreamSynchronize(stream));
  int line = -1;
  if (rank() == 1) line = accept(listener, nullptr, nullptr);
  if (rank() == 2) {
    line = socket(AF_UNIX, SOCK_STREAM, 0);
    demand(connect(line, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  close(listener);
  for (int step = 0; step < 3; ++step) {
    if (rank() == 2 && step < 2) tell(line);
    if (rank() == 1) be_told(line);
    all_reduce(world, stream, x);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
