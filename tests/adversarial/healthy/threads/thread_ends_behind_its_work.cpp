// A thread enqueues a collective and ends; the main thread synchronizes. On rank 1, a host function
// starts the thread that will make the call, by a message through a pipe. So for a while rank 1 has
// one thread in a recorded wait, and one in read() that has never made a call.
// Expected: completes; with --strict or without, because the reader is woken from inside the
// process.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {
int word[2] = {};
}

int program(int, char**) {
  Two two;
  if (pipe(word) != 0) return 5;
  std::thread late([&] {
    char got = 0;
    if (rank() == 1 && read(word[0], &got, 1) != 1) std::_Exit(6);
    check(cudaSetDevice(rank()));
    all_reduce(two.first, two.on_first, two.x);
  });
  const auto tell = [](void*) {
    pause_ms(500);
    if (write(word[1], "x", 1) != 1) std::_Exit(7);
  };
  if (rank() == 1) check(cudaLaunchHostFunc(two.on_second, tell, nullptr));
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  late.join();
  check(cudaDeviceSynchronize());
  return 0;
}
