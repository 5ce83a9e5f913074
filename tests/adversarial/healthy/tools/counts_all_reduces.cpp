// A library of the program's own counts the all-reduces: it has an ncclAllReduce
// (setup/tools/counts_all_reduces.cpp), which calls the next one. Rank 0's second thread
// waits until one was counted, and then calls the all-reduce that rank 1 waits for.
// Naive view: the ncclAllReduce that follows the recorder's is NCCL's, so the recorder may call
// pncclAllReduce instead.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

extern "C" void wait_for_a_count();

int program(int, char**) {
  const Two two;
  std::thread other([&] {
    if (rank() == 0) wait_for_a_count();
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    check(ncclAllReduce(two.y, two.y, 8, ncclFloat, ncclSum, two.second, two.on_second));
    check(cudaStreamSynchronize(two.on_second));
  });
  all_reduce(two.first, two.on_first, two.x);
  other.join();
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
