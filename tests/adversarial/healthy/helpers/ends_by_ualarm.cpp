// Rank 0 waits for its helper, which reads what nobody writes, and whose alarm (ualarm) ends it
// after 900 ms.
// Naive view: the helper sleeps for ever, because it has set no alarm by alarm() or setitimer().
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    wait_for(start_helper([] {
      ualarm(900'000, 0);
      read_what_nobody_writes();
    }));
  }
  training.step();
  return 0;
}
