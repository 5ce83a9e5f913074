// Rank 0 has started a helper in the background, whose parent has ended. After a while the helper
// asks rank 0 to end. The handler gives up the communicator on which rank 0 waits, and the job goes
// on.
// Naive view: the helper is below no rank, so no rank has started it.
// Expected: completes.
#include <csignal>
#include <string>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = {"--stall-limit", "500ms"}};

static ncclComm_t other = nullptr;

int program(int, char**) {
  const Training training;
  check(ncclCommSplit(training.world, 0, rank(), &other, nullptr));
  training.step();
  if (rank() == 0) {
    std::signal(SIGTERM, [](int) { ncclCommAbort(other); });
    if (std::system("(sleep 1.5; kill -TERM $PPID) &") != 0) return 5;
    all_reduce(other, training.stream, training.data);
    check(cudaStreamSynchronize(training.stream));
  }
  training.step();
  return 0;
}
