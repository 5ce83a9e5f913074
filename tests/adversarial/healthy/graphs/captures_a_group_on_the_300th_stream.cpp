// A pool of 300 streams, more than the record has room for. A group on the last one is captured.
// Naive view: every captured stream has an entry (the recorder reads beyond its table).
// Expected: completes; it did not crash before it was watched.
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  cudaStream_t last = nullptr;
  for (int i = 0; i < 300; ++i) last = make_stream();
  cudaGraphExec_t step = captured(last, [&] {
    check(ncclGroupStart());
    all_reduce(two.first, last, two.x);
    check(ncclGroupEnd());
  });
  for (int i = 0; i < 4; ++i) {
    if (rank() == i % 2) pause_ms(100);
    check(cudaGraphLaunch(step, last));
    check(cudaStreamSynchronize(last));
  }
  return 0;
}
