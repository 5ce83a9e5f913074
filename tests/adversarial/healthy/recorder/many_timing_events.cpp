// A benchmark records 100000 timing events on a stream and reads them at the end. Recording takes a
// microsecond each.
// Naive view: a table of fixed size has room for all events, or it is no matter.
// Expected: completes, within 3 s.
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  const Training training;
  training.step();
  std::vector<cudaEvent_t> events(argc > 1 ? static_cast<std::size_t>(atol(argv[1])) : 100000);
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
  const auto begin = std::chrono::steady_clock::now();
  for (cudaEvent_t event : events) check(cudaEventRecord(event, training.stream));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  check(cudaStreamSynchronize(training.stream));
  const auto drop = std::chrono::steady_clock::now();
  for (cudaEvent_t event : events) check(cudaEventDestroy(event));
  const auto dropped = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - drop);
  std::fprintf(stderr, "recorded in %ld ms, destroyed in %ld ms\n", static_cast<long>(took.count()),
               static_cast<long>(dropped.count()));
  training.step();
  return took.count() > 3000 ? 6 : 0;
}
