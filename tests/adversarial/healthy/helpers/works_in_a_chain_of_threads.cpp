// Rank 0 reads from a pipe. Its helper works in a chain of threads, each of which starts the next
// one and ends; the last one writes, 4 s later. The helper's first thread sleeps on another
// pipe.
// Naive view: every thread of the helper that was listed sleeps or has just ended.
// Expected: completes.
#include "tests/adversarial/setup/detached.h"
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};
static void go_on(int to, Deadline end) {
  if (!end.is_over()) {
    start_detached([to, end] { go_on(to, end); });
  } else if (write(to, "x", 1) != 1) {
    _exit(1);
  }
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe batch;
    const Pipe until;
    const pid_t helper = start_helper([&] {
      go_on(batch.writing(), in_ms(4000));
      char word = 0;
      if (read(until.reading(), &word, 1) != 1) _exit(2);
    });
    char word = 0;
    if (read(batch.reading(), &word, 1) != 1) return 5;
    if (write(until.writing(), "x", 1) != 1) return 6;
    wait_for(helper);
  }
  training.step();
  return 0;
}
