// Rank 0's thread sleeps until a callback behind an all-reduce wakes it, to which rank 1 does not
// come. A kernel in front works for a while, and then one fails. So the callback is told of the
// error, and rank 0 tells rank 1.
// Naive view: the callback waits for the all-reduce.
// Expected: ends by itself.
#include <gridlock_sim/launch.h>

#include <condition_variable>
#include <mutex>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes().or_as("fails", "", {0}).or_as("crashes", "", {0}),
                            .environment = {"GRIDLOCK_SIM_FAULT=illegal_address:0@launch=4"},
                            .leaves = "done"};

namespace {

std::mutex mutex;
std::condition_variable changed;
bool is_told = false;

void be_called_back(cudaStream_t, cudaError_t, void*) {
  const std::scoped_lock lock(mutex);
  is_told = true;
  changed.notify_all();
}

}  // namespace

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);  // the first launch
  if (rank() == 1) end_when_told(peer);
  check(sim::launch(training.stream, [] { pause_ms(1000); }));
  for (int i = 0; i < 3; ++i) check(sim::launch(training.stream, [] {}));
  all_reduce(training.world, training.stream, training.data);
  check(cudaStreamAddCallback(training.stream, be_called_back, nullptr, 0));
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return is_told; });
  tell(peer);
  std::_Exit(0);
}
