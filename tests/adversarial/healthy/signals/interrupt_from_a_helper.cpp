// Rank 0 waits for a collective that rank 1 does not make. Its helper interrupts it (SIGINT) after
// a second, and the handler aborts the communicator.
// Naive view: SIGINT comes from a person, and cannot end a hang.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static ncclComm_t child = nullptr;

int program(int, char**) {
  const Training training;
  check(ncclCommSplit(training.world, 0, rank(), &child, nullptr));
  training.step();
  if (rank() == 0) {
    std::signal(SIGINT, [](int) { ncclCommAbort(child); });
    const pid_t helper = start_helper([] {
      pause_ms(1000);
      kill(getppid(), SIGINT);
    });
    all_reduce(child, training.stream, training.data);
    check(cudaStreamSynchronize(training.stream));
    wait_for(helper);
  }
  training.step();
  return 0;
}
