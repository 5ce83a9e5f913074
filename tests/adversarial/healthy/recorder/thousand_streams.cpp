// 1000 streams of all kinds are alive at once, with 3000 events between them; all-reduces go round
// on them. Now and then a rank is late.
// Expected: completes.
#include <vector>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Training training;
  std::vector<cudaStream_t> streams;
  for (int i = 0; i < 1000; ++i) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(
        &stream, i % 3 == 0 ? cudaStreamDefault : cudaStreamNonBlocking, -(i % 4)));
    streams.push_back(stream);
  }
  std::vector<cudaEvent_t> events(3000);
  for (cudaEvent_t& event : events) {
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  for (std::size_t i = 0; i < 3000; ++i) {
    const cudaStream_t from = streams[i % 1000];
    const cudaStream_t to = streams[(i * 7 + 1) % 1000];
    all_reduce(training.world, from, training.data, 8);
    check(cudaEventRecord(events[i], from));
    check(cudaStreamWaitEvent(to, events[i], 0));
    if (i % 1000 == 999) {
      if (rank() == 1) pause_ms(1200);
      check(cudaDeviceSynchronize());
    }
    if (i % 64 == 0) check(cudaStreamSynchronize(to));
  }
  for (cudaEvent_t event : events) check(cudaEventDestroy(event));
  for (cudaStream_t stream : streams) check(cudaStreamDestroy(stream));
  training.step();
  return 0;
}
