// A scheduler that suspends a rank again and again, as a gang scheduler does, or a tool that limits
// processor time (cpulimit).
#pragma once

#include <csignal>

#include "tests/adversarial/setup/helper.h"

// Suspends the calling rank fifteen times for 150 ms, from another process. Returns that process.
inline pid_t start_suspending() {
  return start_helper([] {
    for (int i = 0; i < 15; ++i) {
      pause_ms(29);
      kill(getppid(), SIGSTOP);
      pause_ms(150);
      kill(getppid(), SIGCONT);
    }
  });
}

// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls `refused` for 3 s and is suspended.
template <class Refused>
void suspended_beside_a_receive(const Two& two, Refused refused) {
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    const pid_t scheduler = start_suspending();
    for (const Deadline end = in_ms(3000); !end.is_over();) refused();
    wait_for(scheduler);
    two.tell();
  }
  check(cudaDeviceSynchronize());
}
