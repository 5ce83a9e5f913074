// The checkpoint thread, which has been silent so far, waits for a request to save
// (sigtimedwait) for 2.5 s before its first call.
// Naive view: a thread that was silent so far stays silent.
// Expected: completes.
#include <csignal>
#include <ctime>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    const timespec limit{.tv_sec = 2, .tv_nsec = 500'000'000};
    sigtimedwait(&set, nullptr, &limit);
  });
}
