// 300 threads, 8 at a time, each with a thread_local cache that has a stream, an event and memory.
// Its destructor synchronizes, frees and destroys, when the thread ends.
// Expected: completes.
#include <memory>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
struct Cache {
  cudaStream_t stream = make_stream(cudaStreamDefault);
  cudaEvent_t event = nullptr;
  float* data = device_floats();
  Cache() { check(cudaEventCreate(&event)); }
  ~Cache() {
    check(cudaEventRecord(event, stream));
    check(cudaMemsetAsync(data, 0, 64, cudaStreamPerThread));
    check(cudaStreamSynchronize(cudaStreamPerThread));
    check(cudaStreamSynchronize(stream));
    check(cudaEventSynchronize(event));
    check(cudaEventDestroy(event));
    check(cudaFree(data));
    check(cudaStreamDestroy(stream));
  }
};
thread_local std::unique_ptr<Cache> t_cache;
}  // namespace

int program(int, char**) {
  const Training training;
  training.step();
  for (int round = 0; round < 38; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([] {
        check(cudaSetDevice(number_from("LOCAL_RANK")));
        t_cache = std::make_unique<Cache>();
        check(cudaMemsetAsync(t_cache->data, 0, 64, t_cache->stream));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  training.step();
  return 0;
}
