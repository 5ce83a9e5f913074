// One thread of rank 0 has an open group with an all-reduce in it, and allocates memory. Meanwhile
// another thread synchronizes the device, then lets rank 1 reach that all-reduce. Both threads wait
// for a host function, and only then does the first one close its group.
// Naive view: the device waits for the all-reduce, which was only called, and the all-reduce for
// rank 1.
// Expected: completes.
// Must not say: deadlock; a group enqueues nothing before its end.
#include <semaphore>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaDeviceSynchronize());
    return 0;
  }
  std::binary_semaphore opened(0);
  std::thread other([&] {
    check(cudaSetDevice(rank()));
    opened.acquire();
    check(cudaDeviceSynchronize());
    two.tell();
    check(cudaStreamSynchronize(two.on_second));
  });
  hold_for_long(two.on_first);
  check(ncclGroupStart());
  all_reduce(two.first, two.on_first, two.x);
  opened.release();
  void* late = nullptr;
  check(cudaMalloc(&late, 4096));
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  other.join();
  return 0;
}
