// Rank 0 waits for a collective that rank 1 does not make, until a signal's handler gives up the
// communicator. Then the training goes on.
#pragma once

#include "tests/adversarial/setup/helper.h"

inline ncclComm_t given_up = nullptr;

inline void give_up(int /*signal*/) { ncclCommAbort(given_up); }
inline void give_up_late(int /*signal*/) {
  pause_ms(1000);
  ncclCommAbort(given_up);
}

// Before rank 0 waits, `arm` sees to it that the signal comes. It returns the helper that sends the
// signal; 0: none has to be waited for.
template <class Arm>
void wait_until_given_up(const Training& training, Arm arm) {
  check(ncclCommSplit(training.world, 0, rank(), &given_up, nullptr));
  training.step();
  if (rank() == 0) {
    const pid_t helper = arm();
    all_reduce(given_up, training.stream, training.data);
    check(cudaStreamSynchronize(training.stream));
    if (helper != 0) wait_for(helper);
  }
  training.step();
}

inline pid_t helper_sends(int signal, unsigned after_ms) {
  return start_helper([=] {
    pause_ms(after_ms);
    kill(getppid(), signal);
  });
}
