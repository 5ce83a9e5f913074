// Rank 1's thread for checkpoints runs a command for 2.5 s, as if it copied files elsewhere, and
// then makes its first recorded call, for which rank 0 waits. Rank 1's main thread waits for rank 0
// meanwhile.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <cstdlib>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    if (std::system("sleep 2.5") != 0) std::_Exit(6);
  });
}
