// Each rank communicates in threads with the smallest stack that the C library allows.
// Naive view: a recorder may use some kilobytes of the stack in a call.
// Expected: completes.
#include <limits.h>
#include <pthread.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {
const Training* g_training = nullptr;
cudaEvent_t g_event = nullptr;

void step() {
  static_cast<void>(cudaSetDevice(number_from("LOCAL_RANK")));
  const Training& training = *g_training;
  ncclAllReduce(training.data, training.data, 8, ncclFloat, ncclSum, training.world,
                training.stream);
  cudaEventRecord(g_event, training.stream);
  cudaEventSynchronize(g_event);
  cudaMemsetAsync(training.data, 0, 4, training.stream);
  cudaStreamSynchronize(training.stream);
}
}  // namespace

int program(int argc, char** argv) {
  const Training training;
  g_training = &training;
  check(cudaEventCreateWithFlags(&g_event, cudaEventDisableTiming));
  if (argc <= 2) training.step();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const long bytes = argc > 1 ? atol(argv[1]) : sysconf(_SC_THREAD_STACK_MIN);
  if (pthread_attr_setstacksize(&attributes, static_cast<size_t>(bytes)) != 0) return 5;
  for (int i = 0; i < 10; ++i) {
    pthread_t thread{};
    const auto run = [](void*) -> void* {
      step();
      return nullptr;
    };
    const int made = pthread_create(&thread, &attributes, run, nullptr);
    if (made != 0) {
      std::fprintf(stderr, "pthread_create: %d\n", made);
      return 6;
    }
    pthread_join(thread, nullptr);
  }
  training.step();
  return 0;
}
