// Each rank closes all descriptors but the first three at its start, as daemons do, and allows
// itself only a few. During the first call of CUDA, none is free.
// Naive view: a descriptor can always be had.
// Expected: completes.
#include <fcntl.h>
#include <sys/resource.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  close_range(3, ~0U, 0);
  const int first = open("/dev/null", O_RDONLY);
  if (first != 3) return 5;
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 4;
  setrlimit(RLIMIT_NOFILE, &few);
  if (rank() == 1) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  few.rlim_cur = 40;
  setrlimit(RLIMIT_NOFILE, &few);
  const Training training;
  for (int i = 0; i < 2; ++i) {
    if (rank() == i) pause_ms(1200);
    training.step();
  }
  close(first);
  const int next = open("/dev/null", O_RDONLY);
  std::fprintf(stderr, "next descriptor %d\n", next);
  return next == 3 ? 0 : 6;
}
