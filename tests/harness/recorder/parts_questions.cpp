// Parts of the test program: loops that ask instead of waiting.
#include <unistd.h>

#include "tests/harness/recorder/parts.h"

namespace gridlock {
namespace {

constexpr unsigned kPauseUs = 1000;

void hold_for_ever(void*) {
  while (true) pause();
}

}  // namespace

// As PyTorch's loops do, it also looks for errors, and at another stream.
int asks_about_a_stream() {
  ncclComm_t communicator = make_communicator();
  cudaStream_t idle = make_stream();
  cudaStream_t busy = make_stream();
  check(cudaLaunchHostFunc(busy, hold_for_ever, nullptr));
  while (cudaStreamQuery(busy) == cudaErrorNotReady) {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(communicator, &state));
    check(cudaStreamQuery(idle));
    usleep(kPauseUs);
  }
  return 0;
}

int asks_about_an_event() {
  cudaStream_t stream = make_stream();
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaLaunchHostFunc(stream, hold_for_ever, nullptr));
  check(cudaEventRecord(event, stream));
  check(cudaLaunchHostFunc(stream, hold_for_ever, nullptr));
  while (cudaEventQuery(event) == cudaErrorNotReady) usleep(kPauseUs);
  return 0;
}

int asks_about_a_communicator() {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  cudaStream_t stream = make_stream();
  check(cudaLaunchHostFunc(
      stream, [](void*) { usleep(kPauseUs); }, nullptr));
  check(cudaStreamSynchronize(stream));
  check(ncclGetUniqueId(&id));
  ncclResult_t state = ncclCommInitRankConfig(&communicator, 2, id, 1, &config);
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(communicator, &state));
    usleep(kPauseUs);
  }
  return 0;
}

int asks_until_it_has_ended() {
  cudaStream_t stream = make_stream();
  check(cudaLaunchHostFunc(
      stream, [](void*) { usleep(50 * kPauseUs); }, nullptr));
  while (cudaStreamQuery(stream) == cudaErrorNotReady) usleep(kPauseUs);
  hold_for_ever(nullptr);
  return 0;
}

}  // namespace gridlock
