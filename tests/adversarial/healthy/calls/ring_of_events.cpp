// A reducer as in DDP: a pool of three events serves 200 buckets, so each event is recorded again
// while streams, and a second thread, still wait for its earlier mark. Events are destroyed and
// made anew with waits pending, and streams too. In turn, a rank is late.
// Naive view: who waits for an event waits for what it marks now.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  cudaEvent_t pool[3];
  for (cudaEvent_t& event : pool) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaStream_t computes = make_stream(cudaStreamDefault);
  for (int bucket = 0; bucket < 200; ++bucket) {
    cudaEvent_t& event = pool[bucket % 3];
    const bool on_first = bucket % 2 == 0;
    const cudaStream_t reduces = on_first ? two.on_first : two.on_second;
    check(cudaEventRecord(event, computes));
    check(cudaStreamWaitEvent(reduces, event, 0));
    all_reduce(on_first ? two.first : two.second, reduces, on_first ? two.x : two.y);
    if (bucket % 40 == 7 && rank() == bucket / 40 % 2) hold(reduces);
    check(cudaEventRecord(event, reduces));
    check(cudaStreamWaitEvent(computes, event, 0));
    if (bucket % 50 == 20) {
      std::thread waits([&, event] { check(cudaEventSynchronize(event)); });
      if (rank() == bucket / 50 % 2) pause_ms(300);
      all_reduce(two.first, two.on_first, two.x);
      waits.join();
      check(cudaEventRecord(event, computes));
    }
    if (bucket % 17 == 0) {
      check(cudaEventDestroy(event));
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    if (bucket % 29 == 0) {
      check(cudaStreamDestroy(computes));
      computes = make_stream(cudaStreamDefault);
    }
  }
  check(cudaDeviceSynchronize());
  return 0;
}
