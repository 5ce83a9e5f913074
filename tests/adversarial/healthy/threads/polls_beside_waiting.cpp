// The main thread waits for the device. A second thread polls an event (cudaEventQuery) with naps,
// and makes the missing call once the event is complete. A third thread records the event after 400
// ms.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  cudaStream_t held = make_stream();
  check(cudaLaunchHostFunc(
      held, [](void*) { pause_ms(400); }, nullptr));
  check(cudaEventRecord(event, held));
  std::thread poller([&] {
    check(cudaSetDevice(rank()));
    while (cudaEventQuery(event) == cudaErrorNotReady) pause_ms(20);
    if (rank() == 0) pause_ms(100);
    all_reduce(two.first, two.on_first, two.x);
  });
  if (rank() == 0) {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  } else {
    poller.join();
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.second, two.on_second, two.y);
  }
  if (poller.joinable()) poller.join();
  check(cudaDeviceSynchronize());
  return 0;
}
