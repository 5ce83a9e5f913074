// Beside an all-reduce under way, each rank starts programs by vfork, clone, posix_spawn, popen and
// system, with a time limit (alarm) in the child, and under an interval timer of its own.
// Expected: completes.
#include <sched.h>
#include <spawn.h>
#include <sys/time.h>

#include <csignal>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  struct sigaction tick {};
  tick.sa_handler = [](int) {};
  tick.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &tick, nullptr);
  const itimerval often{.it_interval = {0, 2000}, .it_value = {0, 2000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  static char name[] = "/bin/true";
  static char* arguments[] = {name, nullptr};
  for (int i = 0; i < 30; ++i) {
    all_reduce(training.world, training.stream, training.data);
    pid_t child = vfork();
    if (child == 0) {
      alarm(10);
      execv(name, arguments);
      _exit(127);
    }
    wait_for(child);
    static char stack[1 << 16];
    child = clone(
        [](void*) {
          alarm(10);
          execv(name, arguments);
          _exit(127);
          return 0;
        },
        stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
    wait_for(child);
    if (posix_spawn(&child, name, nullptr, nullptr, arguments, environ) != 0) return 5;
    wait_for(child);
    if (std::system("exit 3") >> 8 != 3) return 6;
    FILE* const pipe = popen("echo 7", "r");
    int number = 0;
    if (std::fscanf(pipe, "%d", &number) != 1 || number != 7 || pclose(pipe) != 0) return 7;
    check(cudaStreamSynchronize(training.stream));
  }
  itimerval before{};
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, &before);
  if (before.it_interval.tv_usec < 1000 || before.it_interval.tv_usec > 5000) return 8;
  if (alarm(100) != 0 || alarm(0) != 100) return 9;
  training.step();
  return 0;
}
