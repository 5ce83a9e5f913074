// Rank 1 reads from a pipe into which a helper of rank 0 copies what rank 0 writes into another
// one, 350 ms late each time.
// Naive view: rank 1 waits for the helper, which waits for ever.
// Expected: completes.
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const std::string from = shared_file("from");
  const std::string to = shared_file("to");
  mkfifo(from.c_str(), 0600);
  mkfifo(to.c_str(), 0600);
  training.step();
  char word = 'x';
  if (rank() == 0) {
    const pid_t relay = start_helper([&] {
      const int in = open(from.c_str(), O_RDONLY);
      const int out = open(to.c_str(), O_WRONLY);
      while (read(in, &word, 1) == 1 && write(out, &word, 1) == 1) {
      }
    });
    const int out = open(from.c_str(), O_WRONLY);
    for (int i = 0; i < 3; ++i) {
      pause_ms(350);
      if (write(out, &word, 1) != 1) return 5;
      training.step();
    }
    close(out);
    wait_for(relay);
  } else {
    const int in = open(to.c_str(), O_RDONLY);
    for (int i = 0; i < 3; ++i) {
      if (read(in, &word, 1) != 1) return 6;
      training.step();
    }
  }
  return 0;
}
