// A thread sleeps in poll() on an eventfd and a timerfd, which fires after 600 ms, and makes the
// missing call. It has made a recorded call before.
// Naive view: a thread that sleeps is dead like the others.
// Expected: completes.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  const int event = eventfd(0, EFD_CLOEXEC);
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec when{};
  when.it_value.tv_nsec = 600000000;
  timerfd_settime(timer, 0, &when, nullptr);
  std::thread helper;
  if (rank() == 0) {
    helper = std::thread([&] {
      check(cudaSetDevice(0));
      check(cudaStreamSynchronize(two.on_first));
      pollfd both[2] = {{event, POLLIN, 0}, {timer, POLLIN, 0}};
      poll(both, 2, -1);
      all_reduce(two.first, two.on_first, two.x);
    });
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (helper.joinable()) helper.join();
  return 0;
}
