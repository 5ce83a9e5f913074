// Rank 0's worker is cancelled (pthread_cancel) while it sleeps in a launch. The main thread
// joins it, computes for a second, and tells rank 1 to go on.
// Naive view: the worker is in a launch for ever.
// Expected: completes.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  launch_that_lasts(two, nullptr, [](cudaStream_t side) {
    std::thread worker([=] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      check(cudaStreamSynchronize(side));
      t_in_allocation = [] { pause_ms(600'000); };
      host_function(side);
    });
    pause_ms(300);
    pthread_cancel(worker.native_handle());
    worker.join();
    const Deadline end = in_ms(1000);
    while (!end.is_over()) {
    }
  });
  return 0;
}
