// A host function in rank 0's graph writes into a named pipe. Rank 1 reads from it, and then joins
// the all-reduce that comes after the host function in the graph.
// Naive view: rank 0 is stuck in the all-reduce, so it will not write.
// Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

namespace {
int told = -1;
}

int program(int, char**) {
  const Two two;
  const std::string name = shared_file("staged");
  mkfifo(name.c_str(), 0600);
  told = open(name.c_str(), O_RDWR);
  if (rank() == 0) {
    const auto tell = [](void*) {
      pause_ms(300);
      if (write(told, "x", 1) != 1) std::_Exit(5);
    };
    cudaGraphExec_t step = captured(two.on_first, [&] {
      check(cudaLaunchHostFunc(two.on_first, tell, nullptr));
      all_reduce(two.first, two.on_first, two.x);
    });
    check(cudaGraphLaunch(step, two.on_first));
  } else {
    char got = 0;
    if (read(told, &got, 1) != 1) return 6;
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
