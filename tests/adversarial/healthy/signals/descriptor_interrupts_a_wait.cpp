// Rank 0 waits for a collective that rank 1 does not make. The kernel sends it SIGIO when its
// control pipe can be read (O_ASYNC), and the handler gives the communicator up. A process
// outside the job, which holds the pipe, writes to it after 2.5 s.
// Naive view: nobody in the job is left to send a signal.
// Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

static int write_later(const std::string& name) {
  int file = -1;
  while ((file = open(name.c_str(), O_WRONLY | O_NONBLOCK)) < 0) pause_ms(10);
  pause_ms(2500);
  return write(file, "x", 1) == 1 ? 0 : 1;
}

int program(int argc, char**) {
  const std::string name = shared_file("pipe");
  if (argc > 1) return write_later(name);
  const Training training;
  wait_until_given_up(training, [&] {
    std::signal(SIGIO, give_up);
    mkfifo(name.c_str(), 0600);
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    fcntl(file, F_SETOWN, getpid());
    fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK);
    return 0;
  });
  return 0;
}
