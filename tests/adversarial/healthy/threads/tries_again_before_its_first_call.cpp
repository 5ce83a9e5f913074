// Rank 0 waits for a broadcast by rank 1, which rank 1's thread for checkpoints calls. That thread
// first asks for a file twice and sleeps for 800 ms after each try: it makes its first recorded
// call then. Rank 1's main thread waits for rank 0 meanwhile.
// Naive view: who has slept and made no call will make none.
// Expected: completes.
#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  return first_call_after([] {
    for (int tries = 0; tries < 2; ++tries) {
      if (access(shared_file("never").c_str(), F_OK) == 0) return;
      pause_ms(800);
    }
  });
}
