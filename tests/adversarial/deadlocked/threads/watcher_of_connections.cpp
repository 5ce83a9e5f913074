// A metrics server waits in accept() in its own thread, as in exporters. The main threads have
// crossed two communicators. Somebody may connect, but the server's handler makes no NCCL call.
// Expected: deadlock; a cycle of both. The verdict may name the server's thread as an assumption.
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
