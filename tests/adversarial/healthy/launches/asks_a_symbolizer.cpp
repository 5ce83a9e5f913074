// A sampling heap profiler names the callers of an allocation: it asks a process (as addr2line)
// that works for 3 s, and waits at a pipe. The allocation is in rank 0's launch of a collective,
// beside an all-reduce that waits for rank 1, which rank 0 tells to go on after it.
// Naive view: a launch that lasts waits for the device.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
Pipe g_ask;
Pipe g_answer;
}  // namespace

int program(int, char**) {
  const pid_t symbolizer = start_helper([] {
    close(g_ask.writing());
    char byte = 0;
    if (read(g_ask.reading(), &byte, 1) != 1) return;
    const Deadline end = in_ms(3000);
    while (!end.is_over()) pause_ms(1);
    if (write(g_answer.writing(), &byte, 1) != 1) _exit(9);
  });
  close(g_ask.reading());
  const Two two;
  launch_that_lasts(
      two,
      [] {
        char byte = 'a';
        if (write(g_ask.writing(), &byte, 1) != 1 || read(g_answer.reading(), &byte, 1) != 1)
          std::_Exit(8);
      },
      host_function);
  close(g_ask.writing());
  wait_for(symbolizer);
  return 0;
}
