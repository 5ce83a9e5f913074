// Rank 0 waits for a collective that rank 1 does not make. Its helper asks it to end (SIGTERM) and
// ends itself. The handler sleeps for a second, as if it wrote a checkpoint, and aborts the
// communicator. In the second round it computes for a second.
// Naive view: the waiting thread is in the recorded wait, and nobody is left to interrupt it.
// Expected: completes.
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes()};

static void compute_and_give_up(int /*signal*/) {
  for (const Deadline end = in_ms(1000); !end.is_over();) {
  }
  ncclCommAbort(given_up);
}

int program(int, char**) {
  const Training training;
  for (auto* const handler : {give_up_late, compute_and_give_up}) {
    wait_until_given_up(training, [=] {
      std::signal(SIGTERM, handler);
      return helper_sends(SIGTERM, 200);
    });
  }
  return 0;
}
