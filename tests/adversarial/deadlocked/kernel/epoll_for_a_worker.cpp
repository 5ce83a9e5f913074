// Rank 0's main thread waits in epoll_wait() for a counter (eventfd) to which its worker adds after
// a collective. Rank 1 makes that collective after another one with rank 0's main thread.
// Expected: deadlock; a cycle of both, through the counter.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <cstdint>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  Two two;
  const int counter = eventfd(0, 0);
  const int set = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(set, EPOLL_CTL_ADD, counter, &event);
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
