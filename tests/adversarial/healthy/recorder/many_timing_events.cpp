// A benchmark records 100000 timing events on a stream, and they take equally long from the first
// to the last.
// Naive view: a table of fixed size has room for all events, or it is no matter.
// Expected: completes.
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  constexpr int kParts = 5;
  constexpr int kOfPart = 20000;
  constexpr int kMuchLonger = 30;
  const Training training;
  training.step();
  std::vector<cudaEvent_t> events(kParts * kOfPart);
  for (cudaEvent_t& event : events) check(cudaEventCreate(&event));
  std::vector<std::chrono::nanoseconds> took;
  for (int part = 0; part < kParts; ++part) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kOfPart; ++i) {
      check(cudaEventRecord(events[static_cast<std::size_t>(part * kOfPart + i)], training.stream));
    }
    took.emplace_back(std::chrono::steady_clock::now() - begin);
    check(cudaStreamSynchronize(training.stream));
  }
  for (cudaEvent_t event : events) check(cudaEventDestroy(event));
  training.step();
  return took.back() > kMuchLonger * took.front() ? 6 : 0;
}
