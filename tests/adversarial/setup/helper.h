// A rank's helper process, in the middle of a training that waits for it.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tests/adversarial/setup/job.h"

// All ranks take part in its steps.
struct Training {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();

  void step() const {
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
};

// A child that runs `work` and ends.
template <class Work>
pid_t start_helper(Work work) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  work();
  _exit(0);
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe(ends) != 0) std::_Exit(5);
  }
  int reading() const { return ends[0]; }
  int writing() const { return ends[1]; }
};

// Blocks for ever: this process itself holds the other end, and does not write.
inline void read_what_nobody_writes() {
  const Pipe none;
  char byte = 0;
  if (read(none.reading(), &byte, 1) != 0) std::_Exit(6);
}

inline void wait_for(pid_t child) {
  if (waitpid(child, nullptr, 0) != child) std::_Exit(7);
}

// Between two steps, rank 0 does `work`, for which the others wait in the second.
template <class Work>
int between_two_steps(Work work) {
  const Training training;
  training.step();
  if (rank() == 0) work();
  training.step();
  return 0;
}

// Rank 1 fails behind a step, and the others wait for it in the next.
inline int rank_1_fails() {
  const Training training;
  training.step();
  if (rank() == 1) std::_Exit(1);
  training.step();
  return 0;
}
