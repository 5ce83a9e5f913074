// Rank 0 waits in sigwait for the signal that its named pipe sends when it can be read (O_ASYNC). A
// process outside the job, which holds the pipe, writes to it.
// Naive view: only processes of the job send signals, and all of them wait.
// Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int write_later(const std::string& name) {
  int file = -1;
  while ((file = open(name.c_str(), O_WRONLY | O_NONBLOCK)) < 0) pause_ms(10);
  pause_ms(3000);
  return write(file, "x", 1) == 1 ? 0 : 1;
}

int program(int argc, char**) {
  const std::string name = shared_file("pipe");
  if (argc > 1) return write_later(name);
  const Training training;
  training.step();
  if (rank() == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGIO);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    mkfifo(name.c_str(), 0600);
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    fcntl(file, F_SETOWN, getpid());
    fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK);
    int which = 0;
    sigwait(&set, &which);
  }
  training.step();
  return 0;
}
