// Ranks of a node lock the first bytes of a file (lockf) while they write its index. Rank 0
// holds the lock over a collective; rank 1 wants it before that collective.
// Expected: deadlock; the cycle of both.
#include <fcntl.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const int file = open(shared_file("index").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const Training training;
  if (rank() == 0 && lockf(file, F_LOCK, 64) != 0) return 5;
  training.step();
  if (rank() == 1 && lockf(file, F_LOCK, 64) != 0) return 6;
  training.step();
  return 0;
}
