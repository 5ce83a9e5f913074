// A data loader's worker is forked while another thread holds a lock. In the worker nobody is left
// to unlock it (the classic of fork and threads). Rank 0 reads a batch from it.
// Naive view: the worker may still write.
// Expected: deadlock, rank 0 is to blame.
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {0})};

static std::mutex lock;

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe batches;
    std::thread logs([] {
      const std::scoped_lock held(lock);
      pause_ms(300);
    });
    pause_ms(50);
    const pid_t worker = start_helper([&] {
      const std::scoped_lock held(lock);
      if (write(batches.writing(), "b", 1) != 1) _exit(5);
    });
    close(batches.writing());
    logs.join();
    check(cudaStreamSynchronize(training.stream));  // from here on rank 0 hangs
    char batch = 0;
    if (read(batches.reading(), &batch, 1) != 1) return 6;
    wait_for(worker);
  }
  training.step();
  return 0;
}
