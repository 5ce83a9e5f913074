// As kernel_fails_elsewhere, but rank 0's device is lost (Xid 79) when the kernel begins, and rank
// 1 hears of it by the connection's end. Naive view: what rank 0's stream waits for never comes.
// Expected: ends by itself.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes().or_as("fails", "", {0}).or_as("crashes", "", {0}),
                            .environment = {"GRIDLOCK_SIM_FAULT=lost:0@launch=5"},
                            .leaves = "done"};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  if (rank() == 1) {
    char byte = 0;
    recv(peer, &byte, 1, 0);
    std::FILE* out = std::fopen(shared_file("done").c_str(), "w");
    std::fclose(out);
    std::_Exit(0);
  }
  cudaStream_t side = make_stream();
  check(cudaLaunchHostFunc(
      side, [](void*) { pause_ms(2000); }, nullptr));
  for (int i = 0; i < 8; ++i) check(sim::launch(side, [] {}));
  all_reduce(training.world, training.stream, training.data);
  const cudaError_t error = cudaStreamSynchronize(training.stream);
  std::fprintf(stderr, "rank 0: %s\n", cudaGetErrorString(error));
  std::_Exit(0);
}
