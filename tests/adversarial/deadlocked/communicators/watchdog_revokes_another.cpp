// Rank 0's watchdog sees that its all-reduce on the pipeline's communicator does not end, and
// revokes a communicator, but the data-parallel one by mistake. Then it waits for the trainer to
// come back. Rank 1 waits in the data-parallel all-reduce, which rank 0 makes after the other one.
// Naive view: a communicator was revoked, so who waits there goes on.
// Expected: deadlock. Rank 1's wait is for what rank 0 has revoked, and rank 0's for rank 1.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect =
                                deadlock("missing_rank", {0}).or_as("deadlock", "cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  std::thread trainer([&] {
    check(cudaSetDevice(0));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  });
  pause_ms(200);
  check(ncclCommRevoke(two.second, NCCL_REVOKE_DEFAULT));
  trainer.join();
  return 0;
}
