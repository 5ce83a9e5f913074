// As computes_on_the_legacy_stream, but a thread that computes gradients makes the calls (PyTorch's
// autograd thread), and a watchdog looks around every 50 ms. While the main thread waits for the
// device, the first one idles at a condition variable.
// Naive view: the watchdog may wake the thread that makes the calls.
// Expected: deadlock; rank 1 is to blame. The proof assumes that the watchdog does not.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/ddp.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1})
                                          .or_as("deadlock", "rank_exited", {1})
                                          .assuming("threads of ranks 0, 2 that"),
                            .ranks = 3};

int program(int, char**) {
  Ddp ddp;
  std::mutex mutex;
  std::condition_variable changed;
  int wanted = 0;
  int done = 0;
  std::thread([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return done < wanted; });
      if (done != 3 || rank() != 1) ddp.reduce();
      ++done;
      changed.notify_all();
    }
  }).detach();
  std::thread([] {
    while (true) pause_ms(50);
  }).detach();
  for (int step = 0; step < 5; ++step) {
    {
      std::unique_lock lock(mutex);
      ++wanted;
      changed.notify_all();
      changed.wait(lock, [&] { return done == wanted; });
    }
    ddp.read_loss();
  }
  std::_Exit(0);
}
