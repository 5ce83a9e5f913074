// Rank 0 has started a helper in the background, whose parent has ended. After a while the helper
// asks rank 0 to end. The handler gives up the communicator on which rank 0 waits, and the job goes
// on.
// Naive view: the helper is below no rank, so no rank has started it.
// Expected: completes.
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .options = {"--stall-limit", "500ms"}};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    std::signal(SIGTERM, give_up);
    if (std::system("(sleep 1.5; kill -TERM $PPID) &") != 0) std::_Exit(5);
    return 0;
  });
  return 0;
}
