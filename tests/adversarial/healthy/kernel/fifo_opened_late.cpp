// Rank 0 reads from a named pipe that it has open for both ways, as daemons do, so that it never
// ends. Rank 1 opens the pipe a second later and writes.
// Naive view: only rank 0 holds the pipe.
// Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  const Training training;
  mkfifo(shared_file("orders").c_str(), 0600);
  training.step();
  char word = 0;
  if (rank() == 0 && read(open(shared_file("orders").c_str(), O_RDWR), &word, 1) != 1) return 5;
  if (rank() == 1) {
    pause_ms(1000);
    if (write(open(shared_file("orders").c_str(), O_WRONLY), "x", 1) != 1) return 6;
  }
  training.step();
  return 0;
}
