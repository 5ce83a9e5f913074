// Rank 0 makes calls of CUDA that are refused at once, beside a receive, and is suspended.
// Naive view: a rank that has no core, and is not ready for one, sleeps in its wait.
// Expected: completes.
#include "tests/adversarial/setup/suspended.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  suspended_beside_a_receive(two, [&] {
    int own[16] = {};
    void* made = nullptr;
    const bool is_taken = cudaFree(own) == cudaSuccess || cudaFreeHost(two.y) == cudaSuccess ||
                          cudaHostAlloc(&made, 64, ~0U) == cudaSuccess;
    if (is_taken) std::_Exit(5);
  });
  return 0;
}
