// As kernel_fails_elsewhere, but on a blocking stream beside the legacy stream, where the recorder
// cannot mark when the device comes to the all-reduce. The kernel in front of that works for a
// while, and then one fails.
// Naive view: rank 1, for which the all-reduce waits, waits for rank 0.
// Expected: ends by itself.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes().or_as("fails", "", {0}).or_as("crashes", "", {0}),
                            .environment = {"GRIDLOCK_SIM_FAULT=illegal_address:0@launch=5"},
                            .leaves = "done"};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);  // the first launch
  all_reduce(training.world, nullptr, training.data);
  check(cudaStreamSynchronize(nullptr));
  if (rank() == 1) end_when_told(peer);
  cudaStream_t blocking = nullptr;
  check(cudaStreamCreate(&blocking));
  check(sim::launch(blocking, [] { pause_ms(1000); }));
  for (int i = 0; i < 3; ++i) check(sim::launch(blocking, [] {}));
  all_reduce(training.world, blocking, training.data);
  if (cudaStreamSynchronize(blocking) == cudaSuccess) return 5;
  tell(peer);
  std::_Exit(0);
}
