// Rank 0's receiver waits for rank 1's message, and rank 1 for rank 0's step. The thread that makes
// the step waits for a batch, and the thread that fetches it looks at a helper's pipe every 50 ms.
// The helper writes after six seconds.
// Naive view: nobody but threads that nap is awake.
// Expected: ends by itself.
#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  int ends[2];
  if (pipe(ends) != 0) return 5;
  const pid_t helper = rank() == 0 ? fork() : -1;
  if (helper == 0) {
    for (int look = 0; look < 120; ++look) pause_ms(50);
    _exit(write(ends[1], "", 1) == 1 ? 0 : 1);
  }
  Two two;
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 1) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    check(ncclSend(two.y, 8, ncclFloat, 0, two.second, two.on_second));
    check(cudaStreamSynchronize(two.on_second));
    return 0;
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool has_batch = false;
  std::thread receiver([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    check(ncclRecv(two.y, 8, ncclFloat, 1, two.second, two.on_second));
    check(cudaStreamSynchronize(two.on_second));
  });
  std::thread loader([&] {
    pollfd batch{.fd = ends[0], .events = POLLIN, .revents = 0};
    while (poll(&batch, 1, 50) == 0) continue;
    const std::scoped_lock lock(mutex);
    has_batch = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return has_batch; });
  }
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  receiver.join();
  loader.join();
  return 0;
}
