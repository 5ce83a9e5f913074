// A program uses all keys of thread-specific data that the C library has, before its first call.
// Then many threads call NCCL one after another, and the ranks wait for each other for a while.
// Naive view: there is always one more key.
// Expected: completes.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  cudaStream_t early = nullptr;
  pthread_key_t key{};
  check(cudaStreamCreateWithFlags(&early, cudaStreamNonBlocking));
  while (pthread_key_create(&key, nullptr) == 0) {
  }
  const Training training;
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      training.step();
    }).join();
  }
  if (rank() == 1) pause_ms(1500);
  training.step();
  return 0;
}
