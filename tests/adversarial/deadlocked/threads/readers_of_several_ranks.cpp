// Rank 0 evaluates: a reader for each other rank fills its queue from a pipe. In the third step
// rank 3 does not write its result. All but rank 0 go on to the step's all-reduce. Naive view: rank
// 0 alone is missing there, so it is to blame. Expected: deadlock. Any of the readers may be the
// one that rank 0 waits for, so the verdict names all; it must not name rank 0 alone.
#include <fcntl.h>
#include <sys/stat.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 3}).or_as("deadlock", "cycle", {0, 1, 2, 3}), .ranks = 4};

int program(int, char**) {
  const auto name_of = [](int writer) { return shared_file("results" + std::to_string(writer)); };
  std::vector<int> pipes;
  for (int writer = 1; writer < ranks(); ++writer) {
    if (rank() != 0 && rank() != writer) continue;
    mkfifo(name_of(writer).c_str(), 0600);
    pipes.push_back(open(name_of(writer).c_str(), rank() == 0 ? O_RDONLY : O_WRONLY));
    if (rank() == 0) unlink(name_of(writer).c_str());  // so nobody else can open it
  }
  const Training training;
  std::mutex mutex;
  std::condition_variable arrived;
  int results = 0;
  const auto read_from = [&](int pipe) {
    for (char result = 0; read(pipe, &result, 1) == 1;) {
      const std::scoped_lock lock(mutex);
      ++results;
      arrived.notify_one();
    }
  };
  std::vector<std::thread> readers;
  for (int step = 0; step < 4; ++step) {
    if (rank() == 0 && step == 0) {
      for (const int pipe : pipes) readers.emplace_back(read_from, pipe);
    }
    if (rank() == 0) {
      std::unique_lock lock(mutex);
      arrived.wait(lock, [&] { return results >= ranks() - 1; });
      results -= ranks() - 1;
    } else if (rank() != 3 || step != 2) {
      if (write(pipes[0], "r", 1) != 1) return 5;
    }
    training.step();
  }
  std::_Exit(0);
}
