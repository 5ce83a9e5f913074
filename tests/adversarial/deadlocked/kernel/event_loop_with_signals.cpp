// Rank 0's event loop watches a counter, to which its worker adds after a collective, and a
// signalfd for the end of its children, of which there are none. Rank 1 makes that collective after
// another one with rank 0's main thread, which waits for the loop.
// Naive view: a signal may still come.
// Expected: deadlock; a cycle of both. The verdict may assume that none comes.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <csignal>
#include <cstdint>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("signal")};

int program(int, char**) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const Two two;
  const int set = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  const int counter = eventfd(0, 0);
  epoll_ctl(set, EPOLL_CTL_ADD, counter, &event);
  epoll_ctl(set, EPOLL_CTL_ADD, signalfd(-1, &ends, 0), &event);
  std::thread worker([&] {
    check(cudaSetDevice(rank()));
    if (rank() == 0) {
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
    }
    const std::uint64_t one = 1;
    if (write(counter, &one, sizeof one) != sizeof one) std::_Exit(5);
  });
  epoll_wait(set, &event, 1, -1);
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 1) all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  worker.join();
  return 0;
}
