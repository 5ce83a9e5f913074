// Rank 0 waits for the end of a pipe whose writer is stuck. The writer dies with its parent, a
// helper that ends after a second.
// Naive view: the only writer sleeps for ever.
// Expected: completes.
#include <sys/prctl.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe pipe;
    const pid_t helper = start_helper([&] {
      start_helper([&] {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pipe.reading());
        read_what_nobody_writes();
      });
      close(pipe.writing());
      pause_ms(1000);
    });
    close(pipe.writing());
    char byte = 0;
    if (read(pipe.reading(), &byte, 1) != 0) return 5;
    wait_for(helper);
  }
  training.step();
  return 0;
}
