// A watchdog thread finds that the main thread hangs, and starts the program anew by exec, as in
// watchdog_executes_anew. Gridlock has no core from before the first call until then: the ranks
// stop it.
// Naive view: the program that runs when the box is first seen is the one that has claimed it.
// Expected: it ends by itself; that the first calls did not match is all that may be said.
#include <csignal>

#include "tests/adversarial/setup/anew.h"

constinit const Trial trial{.expect = completes().or_as("corrupts", "mismatch", {0, 1})};

int program(int argc, char** argv) {
  const bool again = is_again(argc, argv);
  if (again) {
    pause_ms(100);  // until the other rank has done so too
    kill(getppid(), SIGCONT);
    load_again();
  } else if (rank() == 1) {  // started last
    kill(getppid(), SIGSTOP);
    std::fclose(std::fopen(shared_file("stopped").c_str(), "w"));
  } else {
    while (access(shared_file("stopped").c_str(), F_OK) != 0) pause_ms(1);
  }
  return train(argv, again);
}
