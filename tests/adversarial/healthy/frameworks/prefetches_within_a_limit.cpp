// As in FSDP, parameters are gathered on one communicator and stream, and gradients reduced on
// another. A rate limiter holds the host at the event of the gather before last. The memory comes
// from a pool that another thread trims. Rank 1 reduces a layer late, and rank 0 gathers ahead.
// Naive view: rank 0 waits for rank 1 on one communicator, and rank 1 for rank 0 on the other.
// Expected: completes.
#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, number_from("LOCAL_RANK")));
  std::vector<cudaEvent_t> gathered(6);
  std::thread trims([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    for (int i = 0; i < 5; ++i) {
      check(cudaMemPoolTrimTo(pool, 0));
      pause_ms(100);
    }
  });
  for (std::size_t layer = 0; layer < gathered.size(); ++layer) {
    void* full = nullptr;
    check(cudaMallocAsync(&full, 2 * 4096, two.on_first));
    check(ncclAllGather(two.x, full, 1024, ncclFloat, two.first, two.on_first));
    check(cudaEventCreateWithFlags(&gathered[layer], cudaEventDisableTiming));
    check(cudaEventRecord(gathered[layer], two.on_first));
    if (rank() == 1 && layer == 3) hold_for_long(two.on_second);
    check(cudaStreamWaitEvent(two.on_second, gathered[layer], 0));
    check(ncclReduceScatter(full, two.y, 1024, ncclFloat, ncclSum, two.second, two.on_second));
    check(cudaFreeAsync(full, two.on_second));
    if (layer >= 2) check(cudaEventSynchronize(gathered[layer - 2]));
    if (layer >= 2 && rank() == 1) check(cudaStreamSynchronize(two.on_second));
  }
  check(cudaStreamSynchronize(two.on_first));
  check(cudaStreamSynchronize(two.on_second));
  trims.join();
  return 0;
}
