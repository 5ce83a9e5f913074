// One process drives four devices, with ncclCommInitAll, groups, a thread for each two devices, and
// a peer that comes late.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 1};

int program(int, char**) {
  ncclComm_t comms[4] = {};
  check(ncclCommInitAll(comms, 4, nullptr));
  const auto work = [&](int first) {
    cudaStream_t streams[2] = {};
    float* data[2] = {};
    for (int i = 0; i < 2; ++i) {
      check(cudaSetDevice(first + i));
      streams[i] = make_stream();
      data[i] = device_floats();
    }
    if (first == 2) pause_ms(400);
    for (int step = 0; step < 3; ++step) {
      check(ncclGroupStart());
      for (int i = 0; i < 2; ++i) all_reduce(comms[first + i], streams[i], data[i]);
      check(ncclGroupEnd());
      for (cudaStream_t stream : streams) check(cudaStreamSynchronize(stream));
    }
  };
  std::thread other(work, 2);
  work(0);
  other.join();
  return 0;
}
