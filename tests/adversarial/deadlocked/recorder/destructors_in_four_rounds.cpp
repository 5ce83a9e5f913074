// As healthy/recorder/destructors_in_four_rounds; then rank 1 skips an all-reduce and waits for
// rank 0 on another communicator.
// Naive view: the threads that have ended are still there, and may act.
// Expected: deadlock.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  static pthread_key_t key;
  static cudaStream_t stream;
  stream = two.on_first;
  const auto again = [](void* value) {
    cudaStreamSynchronize(stream);
    pthread_setspecific(key, value);
  };
  if (pthread_key_create(&key, again) != 0) return 5;
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      all_reduce(two.first, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
      pthread_setspecific(key, &key);
    }).join();
  }
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
