// Rank 0 runs a program whose stack is limited to 64 KiB, with the recorder in it.
// Expected: completes.
#include <cstdlib>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0 && std::system("ulimit -s 64; exec /bin/true") != 0) return 5;
  training.step();
  return 0;
}
