// Rank 0's main thread has a group with an all-reduce open. Another thread makes 4,200 all-reduces
// on the same communicator in a group of its own, and both ranks run them. Only 2 s later the
// main thread ends its group, for which rank 1 waits. The stall that is told meanwhile says so.
// Naive view: everything that was announced on the communicator when the large group ended was
// launched with it, so rank 0 has come and rank 1 waits for nobody.
// Expected: completes.
// Must not say: corrupts, deadlock.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(), .options = kStandsBriefly, .says = {"rank 1 waits in all_reduce #4200"}};

int program(int, char**) {
  const Two two;
  const auto large_group = [&] {
    check(ncclGroupStart());
    for (int i = 0; i < 4200; ++i) all_reduce(two.first, two.on_second, two.y, 8);
    check(ncclGroupEnd());
    check(cudaStreamSynchronize(two.on_second));
  };
  if (rank() == 0) {
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x, 16);
    std::thread([&] {
      check(cudaSetDevice(0));
      large_group();
    }).join();
    pause_ms(2000);
    check(ncclGroupEnd());
  } else {
    large_group();
    all_reduce(two.first, two.on_first, two.x, 16);
  }
  check(cudaStreamSynchronize(two.on_first));
  for (int step = 0; step < 20; ++step) {
    all_reduce(two.first, two.on_first, two.x, static_cast<std::size_t>(32 + step));
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
