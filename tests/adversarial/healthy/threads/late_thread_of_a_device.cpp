// One process has a thread for each of two devices. The second thread reads its data first, and
// makes its first CUDA call 800 ms late.
// Naive view: a thread that has made no recorded call for 250 ms will make none.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 1};

int program(int, char**) {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  const auto work = [&](int device) {
    if (device == 1) pause_ms(800);
    check(cudaSetDevice(device));
    ncclComm_t world = nullptr;
    check(ncclCommInitRank(&world, 2, id, device));
    cudaStream_t stream = make_stream();
    float* data = device_floats();
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  return 0;
}
