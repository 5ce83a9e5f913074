// Rank 0 waits in a collective that rank 1 does not make. A socket sends rank 0 a signal (IO) when
// a datagram comes, whose handler gives the communicator up. Rank 0 has passed the socket to its
// helper, which sleeps at a pipe. A datagram comes from outside the job.
// Naive view: rank 0 itself has no descriptor that signals, so only a process sends it IO.
// Expected: completes.
#include <sys/prctl.h>

#include <csignal>

#include "tests/adversarial/setup/datagram.h"
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) return send_datagram(3000);
  const Training training;
  wait_until_given_up(training, [] {
    struct sigaction action {};
    action.sa_handler = give_up;
    action.sa_flags = SA_RESTART;
    sigaction(SIGIO, &action, nullptr);
    const SignallingSocket in;
    const pid_t rank = getpid();
    start_helper([&] {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != rank) return;
      read_what_nobody_writes();
    });
    in.announce();
    close(in.descriptor());
    return 0;
  });
  return 0;
}
