// As in Horovod, a background thread of each rank reduces what the main thread submits, once the
// coordinator in rank 0 has heard of all ranks. Rank 2 takes its time before it submits its last
// tensor. Then all main threads evaluate on a communicator of their own.
// Naive view: all threads but rank 2's wait for each other.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  Two two;
  all_reduce(two.first, two.on_first, two.x);
  const int listener = rank() == 0 ? store_listener() : -1;
  check(cudaStreamSynchronize(two.on_first));
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  int others[2] = {-1, -1};
  if (rank() == 0) {
    for (int& other : others) other = accept(listener, nullptr, nullptr);
  }
  const int coordinator = rank() == 0 ? -1 : store_client();
  close(listener);
  std::mutex mutex;
  std::condition_variable changed;
  int submitted = 0;
  int reduced = 0;
  std::thread background([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    for (int next = 1; next <= 3; ++next) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return submitted >= next; });
      lock.unlock();
      if (rank() == 0) {
        for (const int other : others) be_told(other);
        for (const int other : others) tell(other);
      } else {
        tell(coordinator);
        be_told(coordinator);
      }
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
      lock.lock();
      reduced = next;
      changed.notify_all();
    }
  });
  for (int tensor = 1; tensor <= 3; ++tensor) {
    if (rank() == 2 && tensor == 3) pause_ms(900);
    std::unique_lock lock(mutex);
    submitted = tensor;
    changed.notify_all();
    changed.wait(lock, [&] { return reduced == tensor; });
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  background.join();
  return 0;
}
