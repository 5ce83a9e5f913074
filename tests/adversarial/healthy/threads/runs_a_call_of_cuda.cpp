// A thread's routine is cudaStreamSynchronize itself, and the main thread joins it.
// Naive view: a thread that runs a library's code is the library's, and never acts.
// Expected: completes.
#include <pthread.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  for (int step = 0; step < 4; ++step) {
    if (rank() == step % 2) hold(training.stream);
    all_reduce(training.world, training.stream, training.data);
    pthread_t waits{};
    pthread_create(&waits, nullptr, reinterpret_cast<void* (*)(void*)>(cudaStreamSynchronize),
                   training.stream);
    pthread_join(waits, nullptr);
  }
  return 0;
}
