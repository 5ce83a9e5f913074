// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the
// two, it makes calls of CUDA that are refused at once. Meanwhile a scheduler suspends it again
// and again (SIGSTOP, for 150 ms), as a gang scheduler, or a limit of processor time by a tool
// (cpulimit), does.
// Naive view: a rank that has no core, and is not ready for one, sleeps in its wait.
// Expected: completes.
#include <csignal>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    int own[16] = {};
    void* made = nullptr;
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    const pid_t scheduler = start_helper([] {
      for (int i = 0; i < 15; ++i) {
        pause_ms(29);
        kill(getppid(), SIGSTOP);
        pause_ms(150);
        kill(getppid(), SIGCONT);
      }
    });
    for (const Deadline end = in_ms(3000); !end.is_over();) {
      if (cudaFree(own) == cudaSuccess || cudaFreeHost(two.y) == cudaSuccess ||
          cudaHostAlloc(&made, 64, ~0U) == cudaSuccess) {
        return 5;
      }
    }
    wait_for(scheduler);
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
