// Rank 0 has a clock of processor time (ITIMER_PROF), as profilers have. Its threads sleep: one in
// an all-reduce, the other at a pipe into which the clock's handler writes. A kernel of its own
// computes meanwhile, which is what uses the time here; NCCL's own threads do so on real machines.
// Naive view: a clock of processor time stands still while all threads of the program sleep.
// Expected: completes.
#include <gridlock_sim/launch.h>
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
int told = -1;
std::atomic<bool> has_rung = false;
}  // namespace

int program(int, char**) {
  const Two two;
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  const Pipe pipe;
  told = pipe.writing();
  std::signal(SIGPROF, [](int) {
    const char byte = 0;
    has_rung = true;
    if (write(told, &byte, 1) != 1) std::_Exit(5);
  });
  std::thread trainer([&] {
    check(cudaSetDevice(0));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  });
  const cudaStream_t computes = make_stream();
  sim::launch(computes, [] {
    while (!has_rung) {
    }
  });
  itimerval when{};
  when.it_value.tv_usec = 600'000;
  setitimer(ITIMER_PROF, &when, nullptr);
  char byte = 0;
  while (read(pipe.reading(), &byte, 1) != 1) {
  }
  two.tell();
  trainer.join();
  return 0;
}
