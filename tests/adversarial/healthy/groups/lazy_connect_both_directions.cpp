// With lazy connect, the first message of each direction blocks both hosts until the other side
// comes. Each rank has two threads, one for each direction, which come in opposite orders.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = completes(),
    .environment = {"GRIDLOCK_SIM_LAZY_CONNECT=1", "NCCL_RUNTIME_CONNECT=1"}};

int program(int, char**) {
  ncclComm_t out = join_world();
  ncclComm_t back = twin_of(out);
  cudaStream_t streams[2] = {make_stream(), make_stream()};
  float* data = device_floats();
  const auto work = [&](int direction) {
    check(cudaSetDevice(rank()));
    ncclComm_t comm = direction == 0 ? out : back;
    if (direction != rank()) pause_ms(150);
    if (direction == rank()) {
      check(ncclSend(data, 8, ncclFloat, 1 - rank(), comm, streams[direction]));
    } else {
      check(ncclRecv(data, 8, ncclFloat, 1 - rank(), comm, streams[direction]));
    }
    check(cudaStreamSynchronize(streams[direction]));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  return 0;
}
