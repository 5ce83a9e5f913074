// A gang scheduler suspends rank 0 (SIGSTOP) while it is in a launch, beside an all-reduce that
// waits for rank 1, and lets it go on after 1.2 s. Then rank 0 tells rank 1 to go on.
// Naive view: a launch that lasts, and gets no memory, waits for the device.
// Expected: completes.
#include <csignal>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
Pipe g_ask;
}

int program(int, char**) {
  const pid_t scheduler = start_helper([] {
    close(g_ask.writing());
    char byte = 0;
    if (read(g_ask.reading(), &byte, 1) != 1) return;
    kill(getppid(), SIGSTOP);
    pause_ms(1200);
    kill(getppid(), SIGCONT);
  });
  const Two two;
  launch_that_lasts(
      two,
      [] {
        char byte = 'a';
        if (write(g_ask.writing(), &byte, 1) != 1) std::_Exit(8);
        const Deadline end = in_ms(100);
        while (!end.is_over()) {
        }
      },
      host_function);
  close(g_ask.writing());
  wait_for(scheduler);
  return 0;
}
