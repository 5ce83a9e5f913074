// As healthy/recorder/destructors_in_four_rounds; then rank 1 skips an all-reduce and waits for
// rank 0 on another communicator.
// Naive view: the threads that have ended are still there, and may act.
// Expected: deadlock.
#include "tests/adversarial/setup/last_destructors.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  end_in_four_rounds(two.on_first, [&] {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  });
  cross(two);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
