// Rank 0 waits for a collective that rank 1 does not make. Its helper asks it to end (SIGTERM) and
// ends itself. The handler sleeps for a second, as if it wrote a checkpoint, and aborts the
// communicator. In the second round it computes for a second.
// Naive view: the waiting thread is in the recorded wait, and nobody is left to interrupt it.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static ncclComm_t child = nullptr;
static bool computes = false;

int program(int, char**) {
  const Training training;
  for (int round = 0; round < 2; ++round) {
    check(ncclCommSplit(training.world, 0, rank(), &child, nullptr));
    training.step();
    if (rank() == 0) {
      computes = round == 1;
      std::signal(SIGTERM, [](int) {
        if (!computes) pause_ms(1000);
        const Deadline end = in_ms(1000);
        while (computes && !end.is_over()) {
        }
        ncclCommAbort(child);
      });
      const pid_t helper = start_helper([] {
        pause_ms(200);
        kill(getppid(), SIGTERM);
      });
      all_reduce(child, training.stream, training.data);
      check(cudaStreamSynchronize(training.stream));
      wait_for(helper);
    }
    training.step();
  }
  return 0;
}
