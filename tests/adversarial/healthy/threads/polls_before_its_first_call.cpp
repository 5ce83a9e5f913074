// Rank 1's thread for checkpoints sleeps for 7 s by poll before its first recorded call, for which
// rank 0 waits. (The kernel ends such a sleep by up to a two-hundredth later.) Rank 1's main thread
// waits for rank 0 meanwhile.
// Naive view: when the time of that sleep is over, the thread has had its chance.
// Expected: completes.
#include <poll.h>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes(), .options = {"--stall-limit", "12s"}};

int program(int, char**) {
  return first_call_after([] { poll(nullptr, 0, 7000); });
}
