// Each process drives two ranks of a communicator, each by a thread. Three of the four shrink it
// twice, as a retry, give up the first child, and use the second. The ranks of process 0 come late.
// Naive view: how often the process has shrunk the communicator tells which of the children this
// is.
// Expected: completes.
#include <thread>
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclUniqueId id = exchange_id(rank(), ranks());
  const auto work = [&](int as) {
    check(cudaSetDevice(as));
    ncclComm_t world = nullptr;
    check(ncclCommInitRank(&world, 4, id, as));
    if (as == 3) return;
    const cudaStream_t stream = make_stream();
    float* data = device_floats();
    int excluded = 3;
    ncclComm_t first = nullptr;
    ncclComm_t second = nullptr;
    check(ncclCommShrink(world, &excluded, 1, &first, nullptr, NCCL_SHRINK_DEFAULT));
    check(ncclCommAbort(first));
    check(ncclCommShrink(world, &excluded, 1, &second, nullptr, NCCL_SHRINK_DEFAULT));
    if (as < 2) pause_ms(1000);
    all_reduce(second, stream, data);
    check(cudaStreamSynchronize(stream));
  };
  std::thread other(work, 2 * rank() + 1);
  work(2 * rank());
  other.join();
  return 0;
}
