// Rank 0 has asked the kernel (io_uring) to write into a pipe after a second. Then its threads
// sleep: one reads from that pipe, of which only rank 0 holds the ends.
// Naive view: only rank 0 could write.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/ring.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe pipe;
    if (!write_later(pipe.writing())) return 5;
    std::thread reader([&] {
      char word = 0;
      if (read(pipe.reading(), &word, 1) != 1) std::_Exit(6);
    });
    reader.join();
  }
  training.step();
  return 0;
}
