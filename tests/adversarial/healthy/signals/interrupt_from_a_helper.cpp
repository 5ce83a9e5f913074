// Rank 0 waits for a collective that rank 1 does not make. Its helper interrupts it (SIGINT) after
// a second, and the handler aborts the communicator.
// Naive view: SIGINT comes from a person, and cannot end a hang.
// Expected: completes.
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    std::signal(SIGINT, give_up);
    return helper_sends(SIGINT, 1000);
  });
  return 0;
}
