// Each step has two all-reduces, of the gradients (1024) and of the loss (8). Rank 2 catches an
// exception (out of memory) between them in step 3, and goes on with the next batch.
// Naive view: all ranks wait in the same collective.
// Expected: deadlock (mismatch) by rank 2.
#include <stdexcept>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("mismatch", {2}), .ranks = 4};

int program(int, char**) {
  const Training training;
  for (int step = 0; step < 10; ++step) {
    try {
      all_reduce(training.world, training.stream, training.data, 1024);
      if (rank() == 2 && step == 3) throw std::bad_alloc();
      all_reduce(training.world, training.stream, training.data, 8);
    } catch (const std::bad_alloc&) {
      continue;
    }
    check(cudaStreamSynchronize(training.stream));
  }
  return 0;
}
