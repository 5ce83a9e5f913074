// One thread of rank 0 has a group open with an all-reduce in it, and waits in it for a message;
// another thread synchronizes the group's stream meanwhile, then lets rank 1 send that message.
// Naive: the second thread seems to wait for the all-reduce that was called, and it for rank 1.
// Must be said: completes. Must not: deadlock; a group enqueues nothing before its end.
#include <semaphore>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  ncclComm_t third = nullptr;
  check(ncclCommSplit(two.first, 0, rank(), &third, nullptr));
  cudaStream_t on_third = make_stream();
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.y, 8, ncclFloat, 0, third, on_third));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaDeviceSynchronize());
    return 0;
  }
  check(ncclRecv(two.y, 8, ncclFloat, 1, third, on_third));
  std::binary_semaphore opened(0);
  std::thread other([&] {
    check(cudaSetDevice(rank()));
    opened.acquire();
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
    check(cudaStreamSynchronize(two.on_second));
  });
  hold(two.on_first);
  check(ncclGroupStart());
  all_reduce(two.first, two.on_first, two.x);
  opened.release();
  check(cudaStreamSynchronize(on_third));
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  other.join();
  return 0;
}
