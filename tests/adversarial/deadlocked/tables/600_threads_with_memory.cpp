// 600 threads make memory in the last round of destructors that POSIX allows, one after the other,
// and end. Then two new threads cross two communicators. Naive view: the table of threads is full
// of them for good. Expected: deadlock; a cycle of both.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

namespace {

constexpr int kRounds = 4;
pthread_key_t key;
thread_local int round = 0;

void make_memory_at_last(void* value) {
  if (++round < kRounds) {
    pthread_setspecific(key, value);
    return;
  }
  void* memory = nullptr;
  check(cudaMalloc(&memory, 64));
}

void reduce(ncclComm_t communicator, cudaStream_t stream, float* data) {
  all_reduce(communicator, stream, data);
  check(cudaStreamSynchronize(stream));
}

}  // namespace

int program(int, char**) {
  Two two;
  reduce(two.first, two.on_first, two.x);
  if (pthread_key_create(&key, make_memory_at_last) != 0) return 5;
  for (int i = 0; i < 600; ++i) {
    std::thread([] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      pthread_setspecific(key, &key);
    }).join();
  }
  std::thread([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    if (rank() == 0) reduce(two.first, two.on_first, two.x);
    reduce(two.second, two.on_second, two.y);
    if (rank() == 1) reduce(two.first, two.on_first, two.x);
  }).join();
  return 0;
}
