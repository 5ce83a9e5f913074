// Rank 0 drives the others by flags in shared memory, at which they spin, as in vLLM. It takes its
// time before each message. The workers wait for each other in a collective meanwhile.
// Naive view: the workers' host threads only yield.
// Expected: completes.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const int file = open(shared_file("ring").c_str(), O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096) != 0) return 5;
  auto* message = static_cast<std::atomic<int>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  const Training training;
  ncclComm_t workers = nullptr;
  check(ncclCommSplit(training.world, rank() == 0 ? NCCL_SPLIT_NOCOLOR : 1, rank(), &workers,
                      nullptr));
  for (int step = 1; step <= 3; ++step) {
    if (rank() == 0) {
      pause_ms(400);
      message[1] = step;
      pause_ms(400);
      message[2] = step;
    } else {
      while (message[rank()] < step) sched_yield();
      all_reduce(workers, training.stream, training.data);
    }
    training.step();
  }
  return 0;
}
