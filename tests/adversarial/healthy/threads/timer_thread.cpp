// A POSIX timer fires after 600 ms and makes a thread (SIGEV_THREAD), which makes the missing call.
// Until then there is no thread that could make it.
// Naive view: all threads of the process wait.
// Expected: completes.
#include <csignal>
#include <ctime>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  static Two two;
  if (rank() == 0) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) {
      check(cudaSetDevice(0));
      all_reduce(two.first, two.on_first, two.x);
    };
    timer_t timer{};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 5;
    itimerspec when{};
    when.it_value.tv_nsec = 600'000'000;
    timer_settime(timer, 0, &when, nullptr);
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  return 0;
}
