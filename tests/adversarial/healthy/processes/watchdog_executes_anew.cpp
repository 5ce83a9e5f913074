// A watchdog thread finds that the main thread hangs, and starts the program anew by exec. The new
// program loads its data for a while before its first call, and then trains.
// Naive view: the box shows the main thread in cudaStreamSynchronize, and the thread with that
// number lives.
// Expected: it ends by itself; that the first calls did not match is all that may be said.
#include "tests/adversarial/setup/anew.h"

constinit const Trial trial{.expect = completes().or_as("corrupts", "mismatch", {0, 1})};

int program(int argc, char** argv) {
  const bool again = is_again(argc, argv);
  if (again) load_again();
  return train(argv, again);
}
