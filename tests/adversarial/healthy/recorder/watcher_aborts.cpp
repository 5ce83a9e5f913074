// Ten times: an all-reduce hangs because rank 1 does not come. A watcher of rank 0's, which waits
// for a signal (sigwait) that a timer sends, aborts the communicator while the main thread is in
// cudaStreamSynchronize. Then all make a new one.
// Expected: completes, or that the calls did not match.
#include <csignal>
#include <ctime>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  sigset_t usr;
  sigemptyset(&usr);
  sigaddset(&usr, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr, nullptr);
  for (int i = 0; i < 10; ++i) {
    const ncclComm_t world = join_world();
    const cudaStream_t stream = make_stream();
    float* data = device_floats();
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
    if (rank() == 0) {
      std::thread watcher([&] {
        sigevent tell{};
        tell.sigev_notify = SIGEV_SIGNAL;
        tell.sigev_signo = SIGUSR2;
        timer_t timer{};
        timer_create(CLOCK_MONOTONIC, &tell, &timer);
        const itimerspec soon{.it_interval = {}, .it_value = {0, 200'000'000}};
        timer_settime(timer, 0, &soon, nullptr);
        int got = 0;
        sigwait(&usr, &got);
        timer_delete(timer);
        check(ncclCommAbort(world));
      });
      all_reduce(world, stream, data);
      cudaStreamSynchronize(stream);
      watcher.join();
    } else {
      pause_ms(400);
      check(ncclCommAbort(world));
    }
    cudaGetLastError();
    check(cudaStreamDestroy(stream));
    check(cudaFree(data));
  }
  return 0;
}
