// Threads keep a cache in thread-specific data. Its destructor waits for the device, and sets the
// value again, so it runs in all four rounds that POSIX allows. 300 threads end so.
// Naive view: a thread makes no call of CUDA after its last round.
// Expected: completes.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Training training;
  training.step();
  static pthread_key_t key;
  static cudaStream_t stream;
  stream = training.stream;
  const auto again = [](void* value) {
    cudaStreamSynchronize(stream);
    pthread_setspecific(key, value);
  };
  if (pthread_key_create(&key, again) != 0) return 5;
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      training.step();
      pthread_setspecific(key, &key);
    }).join();
  }
  if (rank() == 1) pause_ms(1500);
  training.step();
  return 0;
}
