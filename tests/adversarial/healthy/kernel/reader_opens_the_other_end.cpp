// Rank 0 reads from a pipe. Its helper has only the reading end, and after a while opens the other
// one through it, as a shell's `echo > /dev/fd/3` does.
// Naive view: nobody but rank 0 can write to the pipe.
// Expected: completes.
#include <fcntl.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return between_two_steps([] {
    if (rank() != 0) return;
    const Pipe pipe;
    const pid_t helper = start_helper([&] {
      close(pipe.writing());
      pause_ms(1500);
      const std::string link = "/proc/self/fd/" + std::to_string(pipe.reading());
      const int writing = open(link.c_str(), O_WRONLY);
      if (write(writing, "x", 1) != 1) _exit(1);
    });
    char letter = 0;
    if (read(pipe.reading(), &letter, 1) != 1) std::_Exit(9);
    wait_for(helper);
  });
}
