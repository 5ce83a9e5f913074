// Rank 0 waits for a collective to which rank 1 does not come; rank 1 waits for rank 0. On another
// stream of rank 0's, a kernel comes to its turn after a while and fails (an illegal address). So
// rank 0's wait ends with an error, it gives up the communicator, and tells rank 1.
// Naive view: what rank 0's stream waits for never comes.
// Expected: ends by itself.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/gate.h"
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes().or_as("fails", "", {0}).or_as("crashes", "", {0}),
                            .environment = {"GRIDLOCK_SIM_FAULT=illegal_address:0@launch=5"},
                            .leaves = "done"};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);  // the first launch
  if (rank() == 1) end_when_told(peer);
  cudaStream_t side = make_stream();
  check(cudaLaunchHostFunc(
      side, [](void*) { pause_ms(2000); }, nullptr));
  for (int i = 0; i < 8; ++i) check(sim::launch(side, [] {}));
  all_reduce(training.world, training.stream, training.data);
  const cudaError_t error = cudaStreamSynchronize(training.stream);
  if (error == cudaSuccess) return 5;
  tell(peer);
  std::_Exit(0);
}
