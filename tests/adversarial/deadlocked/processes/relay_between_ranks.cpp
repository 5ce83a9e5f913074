// Rank 1 reads from a pipe into which a helper of rank 0 copies what rank 0 writes into another
// one. Rank 0 writes only after a collective, which rank 1 makes only after it has read.
// Expected: deadlock; the helper is between the ranks, so that only rank 1 is known to be stuck.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})
                                          .or_as("deadlock", "host_stuck", {1})
                                          .assuming("outside the job uses")};

int program(int, char**) {
  const Training training;
  const std::string from = shared_file("from");
  const std::string to = shared_file("to");
  mkfifo(from.c_str(), 0600);
  mkfifo(to.c_str(), 0600);
  training.step();
  char word = 'x';
  if (rank() == 0) {
    start_helper([&] {
      const int in = open(from.c_str(), O_RDONLY);
      const int out = open(to.c_str(), O_WRONLY);
      while (read(in, &word, 1) == 1 && write(out, &word, 1) == 1) {
      }
    });
    const int out = open(from.c_str(), O_WRONLY);
    training.step();
    if (write(out, &word, 1) != 1) return 5;
  } else {
    const int in = open(to.c_str(), O_RDONLY);
    if (read(in, &word, 1) != 1) return 6;
    training.step();
  }
  return 0;
}
