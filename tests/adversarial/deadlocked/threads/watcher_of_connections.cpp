// A metrics server waits in accept() in a thread of its own, as exporters do; the main threads are
// crossed. Somebody may connect, but its handler makes no call of NCCL.
// Must be said: deadlock; a cycle of both. The server's thread may be named as an assumption.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming(" ")};

int program(int, char**) {
  std::thread([] {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    listen(listener, 4);
    while (true) close(accept(listener, nullptr, nullptr));
  }).detach();
  Two two;
  all_reduce(rank() == 0 ? two.first : two.second, two.on_first, two.x);
  all_reduce(rank() == 0 ? two.second : two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
