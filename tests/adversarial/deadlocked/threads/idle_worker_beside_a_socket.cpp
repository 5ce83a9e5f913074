// Rank 0 has one more batch. Rank 1 waits for its word over a socket, and has an idle worker, as
// every trainer has, which made a collective before.
// Naive view: only rank 1 itself can wake the worker, so rank 1 is stuck in its own code.
// Expected: deadlock; a cycle of both.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/store.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const int listener = rank() == 0 ? store_listener() : -1;
  std::mutex mutex;
  std::condition_variable work;
  const auto batch = [&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  };
  batch();
  std::thread worker([&] {
    batch();
    std::unique_lock lock(mutex);
    work.wait(lock);
  });
  const int peer = rank() == 0 ? accept(listener, nullptr, nullptr) : store_client();
  close(listener);
  pause_ms(300);
  if (rank() == 1) be_told(peer);
  batch();
  if (rank() == 0) tell(peer);
  worker.join();
  return 0;
}
