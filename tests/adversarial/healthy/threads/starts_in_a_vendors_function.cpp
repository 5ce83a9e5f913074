// Threads whose first function is CUDA's or NCCL's own: one runs cudaStreamSynchronize, another
// ncclCommDestroy, and the main thread joins them. Rank 1 is late for both.
// Naive view: such a thread is a library's, which does nothing for the program.
// Expected: completes.
#include <pthread.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
template <class Function, class Handle>
void run_in_a_thread(Function* function, Handle handle) {
  pthread_t thread{};
  void* (*start)(void*) = nullptr;
  static_assert(sizeof start == sizeof function);
  __builtin_memcpy(&start, &function, sizeof start);
  if (pthread_create(&thread, nullptr, start, handle) != 0) std::_Exit(5);
  pthread_join(thread, nullptr);
}
}  // namespace

int program(int, char**) {
  const Two two;
  if (rank() == 1) pause_ms(900);
  all_reduce(two.first, two.on_first, two.x);
  run_in_a_thread(&cudaStreamSynchronize, two.on_first);
  if (rank() == 1) pause_ms(900);
  run_in_a_thread(&ncclCommDestroy, two.second);
  if (rank() == 1) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  } else {
    pause_ms(900);
    all_reduce(two.first, two.on_first, two.x);
    run_in_a_thread(&cudaStreamSynchronize, two.on_first);
  }
  return 0;
}
