// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the
// two, it tries to make a communicator as rank 5 of 2, which NCCL refuses. Meanwhile a scheduler
// suspends it again and again (SIGSTOP, for 150 ms), as a gang scheduler, or a limit of
// processor time by a tool (cpulimit), does.
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
    ncclUniqueId id;
    check(ncclGetUniqueId(&id));
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
      ncclComm_t made = nullptr;
      if (ncclCommInitRank(&made, 2, id, 5) == ncclSuccess) return 5;
      if (ncclCommSplit(two.second, -7, 0, &made, nullptr) == ncclSuccess) return 6;
    }
    wait_for(scheduler);
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
