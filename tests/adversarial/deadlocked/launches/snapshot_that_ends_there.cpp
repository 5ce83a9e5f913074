// The child of a fork inside a launch ends there.
// Naive view: who is in the launch, or comes back from it, is rank 0.
// Expected: deadlock; a cycle of both.
#include "tests/adversarial/setup/snapshot.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  return fork_in_a_launch([] {
    snapshot = fork();
    if (snapshot == 0) _exit(0);
  });
}
