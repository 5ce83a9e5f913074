// As at the end of a program with a multiprocessing.Queue: rank 0's main thread joins the queue's
// feeder, which writes into a pipe that is full. The child that should read it waits for rank 0's
// word at another pipe. Rank 1 waits for rank 0 in a collective.
// Naive view: somebody may still read from the pipe.
// Expected: deadlock; rank 0 is to blame, because it waits only for itself and its child.
#include <thread>
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

int program(int, char**) {
  const Pipe queue;
  const Pipe words;
  if (rank() == 0) {
    start_helper([&] {
      close(queue.writing());
      close(words.writing());
      char byte = 0;
      if (read(words.reading(), &byte, 1) != 1) std::_Exit(6);
      while (read(queue.reading(), &byte, 1) == 1) {
      }
    });
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    std::thread feeder([&] {
      const std::vector<char> batch(1'000'000);
      if (write(queue.writing(), batch.data(), batch.size()) < 0) std::_Exit(7);
    });
    feeder.join();
    if (write(words.writing(), "x", 1) != 1) return 8;
  }
  training.step();
  return 0;
}
