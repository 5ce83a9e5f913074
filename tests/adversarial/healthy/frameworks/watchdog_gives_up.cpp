// Only rank 0 makes a collective. As in PyTorch, its watchdog asks for the work's event each 100 ms
// and gives the communicator up after 600 ms. Rank 1 waits for rank 0 meanwhile.
// Naive view: both main threads wait for each other.
// Expected: completes.
#include <atomic>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  std::thread watchdog;
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    cudaEvent_t work = nullptr;
    check(cudaEventCreateWithFlags(&work, cudaEventDisableTiming));
    check(cudaEventRecord(work, two.on_first));
    watchdog = std::thread([&two, work] {
      const Deadline limit = in_ms(600);
      while (!limit.is_over()) {
        if (cudaEventQuery(work) == cudaSuccess) return;
        pause_ms(100);
      }
      ncclCommAbort(two.first);
    });
    cudaStreamSynchronize(two.on_first);
    watchdog.join();
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  return 0;
}
