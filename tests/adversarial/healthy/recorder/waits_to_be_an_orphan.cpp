// A rank starts a daemon of its own, as System V programs do: the daemon waits until its parent has
// ended, which it sees at getppid(), and then says that it is ready.
// Naive view: it does not matter who adopts orphans.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  const Pipe ready;
  const pid_t between = start_helper([&] {
    start_helper([&] {
      const Deadline limit = in_ms(4000);
      while (getppid() != 1 && !limit.is_over()) pause_ms(1);
      const char is_orphan = getppid() == 1 ? 1 : 0;
      if (write(ready.writing(), &is_orphan, 1) != 1) _exit(1);
    });
  });
  wait_for(between);
  char is_orphan = 0;
  if (read(ready.reading(), &is_orphan, 1) != 1) return 6;
  training.step();
  return is_orphan == 1 ? 0 : 8;
}
