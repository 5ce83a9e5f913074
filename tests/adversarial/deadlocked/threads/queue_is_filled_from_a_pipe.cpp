// Rank 1 takes its batches from a queue, which a reader of its own fills from a pipe. Rank 0, at
// the other end, sends the third batch only after the third step. Naive view: only rank 1 itself
// can wake its first thread, so rank 1 is stuck in its own code. Expected: deadlock; a cycle of
// both.
#include <fcntl.h>
#include <sys/stat.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

namespace {

constexpr int kSteps = 4;

struct Batches {
  std::mutex mutex;
  std::condition_variable arrived;
  int ready = 0;

  void read_from(int pipe) {
    for (char batch = 0; read(pipe, &batch, 1) == 1;) {
      const std::scoped_lock lock(mutex);
      ++ready;
      arrived.notify_one();
    }
  }
  void take() {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [&] { return ready > 0; });
    --ready;
  }
};

}  // namespace

int program(int, char**) {
  const std::string name = shared_file("batches");
  mkfifo(name.c_str(), 0600);
  const int pipe = open(name.c_str(), rank() == 0 ? O_WRONLY : O_RDONLY);
  if (rank() == 0) unlink(name.c_str());  // so nobody else can open it
  const Training training;
  Batches batches;
  std::thread reader;
  if (rank() == 1) reader = std::thread([&] { batches.read_from(pipe); });
  for (int step = 0; step < kSteps; ++step) {
    const bool early = step != 2;
    if (rank() == 0 && early) write(pipe, "b", 1);
    if (rank() == 1) batches.take();
    training.step();
    if (rank() == 0 && !early) write(pipe, "b", 1);
  }
  close(pipe);
  if (rank() == 1) reader.join();
  return 0;
}
