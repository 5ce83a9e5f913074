// Rank 1 waits for work that nobody brings, instead of calling the second all-reduce. In a buffer
// on its stack, to which it has not written yet, lie the addresses to which earlier calls of CUDA
// have returned. Naive view: it may be inside such a call. Expected: deadlock; rank 1 has not
// called.
#include <array>
#include <condition_variable>
#include <mutex>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {1})};

namespace {

constexpr std::size_t kBuffer = 8192;

[[gnu::noinline]] void measure_nothing() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  check(cudaEventDestroy(event));
}

[[noreturn, gnu::noinline]] void wait_for_work() {
  std::array<volatile char, kBuffer> message;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  message[0] = '\0';
  std::mutex mutex;
  std::condition_variable has_work;
  std::unique_lock lock(mutex);
  while (true) has_work.wait(lock);
}

}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 1) {
    measure_nothing();
    wait_for_work();
  }
  training.step();
  return 0;
}
