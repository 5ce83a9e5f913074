// 1000 threads of a rank each wait for an event of their own, behind one all-reduce for which
// rank 1 is late.
// Expected: completes.
#include <pthread.h>

#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 1) pause_ms(2000);
  all_reduce(training.world, training.stream, training.data);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  std::vector<pthread_t> threads(1000);
  static const cudaStream_t stream = training.stream;
  for (pthread_t& thread : threads) {
    const auto run = [](void*) -> void* {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      cudaEvent_t event = nullptr;
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      check(cudaEventRecord(event, stream));
      check(cudaEventSynchronize(event));
      check(cudaEventDestroy(event));
      return nullptr;
    };
    if (pthread_create(&thread, &small, run, nullptr) != 0) return 5;
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  training.step();
  return 0;
}
