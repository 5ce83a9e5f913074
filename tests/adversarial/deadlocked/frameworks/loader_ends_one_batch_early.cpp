// Rank 3's loader (a child that writes batches into a pipe) has one batch less than the others'.
// The rank reads the end of the pipe, leaves the loop, and destroys its communicator, which waits
// for the others; they wait for it in the next all-reduce. Naive view: rank 3 waits for three
// others that have not called the destroy. Expected: deadlock; rank 3 is missing.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {3}), .ranks = 4};

int program(int, char**) {
  const Training training;
  const Pipe batches;
  const pid_t loader = start_helper([&] {
    for (int i = rank() == 3 ? 1 : 0; i < 5; ++i) {
      pause_ms(5);
      if (write(batches.writing(), "b", 1) != 1) _exit(5);
    }
  });
  close(batches.writing());
  char batch = 0;
  while (read(batches.reading(), &batch, 1) == 1) training.step();
  wait_for(loader);
  check(ncclCommDestroy(training.world));
  return 0;
}
