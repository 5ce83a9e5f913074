// A thread waits for the legacy stream, and so for a receive on a blocking stream. Meanwhile
// another thread calls a broadcast on a second blocking stream, which lets rank 1 send.
// Naive view: the wait is work of the legacy stream, and the broadcast waits for it.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    cudaStream_t held = make_stream(cudaStreamDefault);
    cudaStream_t free = make_stream(cudaStreamDefault);
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, held));
    std::thread waits([] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      check(cudaStreamSynchronize(cudaStreamLegacy));
    });
    pause_ms(100);
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, free));
    waits.join();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
