// Rank 0 copies in the default stream while another thread puts work on a blocking stream, so
// that the copy's end gets no mark. It synchronizes, and then sleeps at a condition variable for
// good; rank 1 waits for it in an all-reduce.
// Naive view: what got no mark may still be under way, and its end may wake the thread.
// Expected: deadlock; rank 0's host is stuck.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/gate.h"

constinit const Trial trial{.expect = deadlock("host_stuck", {0})};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) stream = make_stream(cudaStreamDefault);
  float* data = device_floats();
  if (rank() == 1) {
    all_reduce(world, streams[1], data);
    check(cudaStreamSynchronize(streams[1]));
    return 0;
  }
  Gate first;
  Gate second;
  first.close(streams[0]);
  std::thread other([&] {
    pause_ms(200);
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    second.close(streams[1]);
    first.open();
    second.open();
  });
  const float host[16] = {};
  check(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  other.join();
  check(cudaDeviceSynchronize());
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait(lock, [] { return false; });
  all_reduce(world, streams[1], data);
  check(cudaStreamSynchronize(streams[1]));
  return 0;
}
