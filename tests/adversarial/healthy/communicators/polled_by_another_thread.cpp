// Non-blocking communicators: a second thread polls them, and tells the main thread by a condition
// variable. In turn, a rank is late to make, split, use and close them.
// Naive view: the main thread sleeps, and its rank is dead.
// Expected: completes.
#include <condition_variable>
#include <initializer_list>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {

void check_begun(ncclResult_t result) {
  if (result != ncclInProgress) check(result);
}

void wait_until_ready(std::initializer_list<ncclComm_t> comms) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread poller([&] {
    for (ncclComm_t comm : comms) {
      ncclResult_t state = ncclInProgress;
      while (state == ncclInProgress) {
        check(ncclCommGetAsyncError(comm, &state));
        pause_ms(1);
      }
      check(state);
    }
    const std::scoped_lock lock(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  }
  poller.join();
}

}  // namespace

int program(int, char**) {
  check(cudaSetDevice(rank()));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  ncclComm_t child = nullptr;
  if (rank() == 0) pause_ms(500);
  check_begun(
      ncclCommInitRankConfig(&world, ranks(), exchange_id(rank(), ranks()), rank(), &config));
  wait_until_ready({world});
  if (rank() == 1) pause_ms(500);
  check_begun(ncclCommSplit(world, 0, rank(), &child, &config));
  wait_until_ready({world});  // only then is there a handle of the child
  wait_until_ready({child});
  cudaStream_t streams[2] = {make_stream(), make_stream()};
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (rank() == step % 2) pause_ms(200);
    check_begun(ncclGroupStart());
    check_begun(ncclAllReduce(data, data, 64, ncclFloat, ncclSum, world, streams[0]));
    check_begun(ncclAllReduce(data + 512, data + 512, 64, ncclFloat, ncclSum, child, streams[1]));
    check_begun(ncclGroupEnd());
    wait_until_ready({world, child});
    for (cudaStream_t stream : streams) check(cudaStreamSynchronize(stream));
  }
  for (ncclComm_t comm : {child, world}) {
    if (rank() == 0) pause_ms(300);
    check_begun(ncclCommFinalize(comm));
    wait_until_ready({comm});
  }
  for (ncclComm_t comm : {child, world}) check(ncclCommDestroy(comm));
  return 0;
}
