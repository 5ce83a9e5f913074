// A profiler's signal interrupts a launch, on a stack of its own and without blocking itself
// (SA_ONSTACK, SA_NODEFER), and its handler writes for 1.2 s to a slow disk (it sleeps).
// Naive view: a launch that lasts waits for the device.
// Expected: completes.
#include <csignal>
#include <ctime>
#include <vector>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  static char stack[65536];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = [](int) {
    const timespec time{.tv_sec = 1, .tv_nsec = 200'000'000};
    nanosleep(&time, nullptr);
  };
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  sigaction(SIGUSR2, &action, nullptr);
  const Two two;
  launch_that_lasts(
      two, [] { raise(SIGUSR2); }, host_function);
  return 0;
}
