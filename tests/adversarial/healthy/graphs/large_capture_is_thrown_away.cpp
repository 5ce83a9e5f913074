// Rank 0 captures 4,200 all-reduces in one group and throws the graph away without a launch. Then
// both ranks make 150 all-reduces on the same communicator, each of another size.
// Naive view: of a group that is larger than the record, the calls that the record no longer holds
// were launched.
// Expected: completes.
// Must not say: corrupts, deadlock.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  if (rank() == 0) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(two.on_first, cudaStreamCaptureModeThreadLocal));
    check(ncclGroupStart());
    for (int i = 0; i < 4200; ++i) all_reduce(two.first, two.on_first, two.x, 16);
    check(ncclGroupEnd());
    check(cudaStreamEndCapture(two.on_first, &graph));
    check(cudaGraphDestroy(graph));
  }
  for (int step = 0; step < 150; ++step) {
    if (step % 100 == 0 && rank() == step / 100) pause_ms(900);
    all_reduce(two.first, two.on_first, two.x, static_cast<std::size_t>(8 + step));
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
