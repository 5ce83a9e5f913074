// Rank 0 waits for a broadcast by rank 1, which rank 1's thread for checkpoints calls. That thread
// sleeps for 2.5 s before its first recorded call. Rank 1's main thread waits for rank 0 meanwhile.
// Naive view: a thread that was silent so far stays silent; so both wait for each other.
// Expected: completes.
#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] { pause_ms(2500); });
}
