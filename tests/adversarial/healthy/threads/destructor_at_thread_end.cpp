// A thread has made recorded calls and ends. The destructor of its thread_local object makes the
// missing call 1200 ms later.
// Naive view: the thread has left the record, and so acts no more.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {

struct AtThreadEnd {
  const Two* two = nullptr;
  ~AtThreadEnd() {
    if (two == nullptr) return;
    pause_ms(1200);
    all_reduce(two->first, two->on_first, two->x);
  }
};
thread_local AtThreadEnd at_thread_end;

}  // namespace

int program(int, char**) {
  const Two two;
  std::thread worker([&] {
    at_thread_end.two = &two;
    check(cudaSetDevice(rank()));
    check(cudaStreamSynchronize(two.on_first));
  });
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_first));
  worker.join();
  check(cudaDeviceSynchronize());
  return 0;
}
