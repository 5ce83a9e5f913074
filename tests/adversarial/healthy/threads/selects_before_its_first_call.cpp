// Rank 1's thread for checkpoints sleeps for 2.5 s by select (as Python did up to 3.10) before its
// first recorded call, for which rank 0 waits. Rank 1's main thread waits for rank 0 meanwhile.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <sys/select.h>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    timeval limit{.tv_sec = 2, .tv_usec = 500'000};
    select(0, nullptr, nullptr, nullptr, &limit);
  });
}
