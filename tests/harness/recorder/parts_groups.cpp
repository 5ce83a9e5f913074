// Parts that keep a group open.
#include <gridlock_sim/launch.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/harness/recorder/parts.h"

namespace gridlock {

namespace {

std::atomic<bool> g_is_open = false;

// Work that is not recorded, so that nothing behind it is past before the gate opens.
void put_gate(cudaStream_t stream) {
  check(simLaunch(
      stream, [](void*) { g_is_open.wait(false); }, nullptr, nullptr));
}

}  // namespace

// Another thread's work comes first on the stream, although the group was opened before.
int group_beside_a_thread() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  ncclComm_t first = make_communicator("first");
  ncclComm_t second = make_communicator("second");
  put_gate(stream);
  check(ncclGroupStart());
  all_reduce(buffer, first, stream);
  std::thread([&] {
    all_reduce(buffer, second, stream);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    check(cudaEventRecord(event, stream));
    check(cudaStreamWaitEvent(other, event, 0));
  }).join();
  check(ncclGroupEnd());
  g_is_open = true;
  g_is_open.notify_all();
  check(cudaDeviceSynchronize());
  return 0;
}

// The allocation waits for another stream, and not for the group.
int group_over_an_allocation() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  check(cudaLaunchHostFunc(
      make_stream(),
      [](void*) {
        for (;;) pause();
      },
      nullptr));
  check(ncclGroupStart());
  all_reduce(buffer, communicator, stream);
  make_buffer();
  return 0;
}

int group_of_many_streams() {
  float* buffer = make_buffer();
  ncclComm_t communicator = make_communicator();
  check(ncclGroupStart());
  for (int i = 0; i < 40; ++i) all_reduce(buffer, communicator, make_stream());
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
  return 0;
}

int group_left_open() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  std::thread([&] {
    check(ncclGroupStart());
    all_reduce(buffer, communicator, stream);
  }).join();
  check(cudaStreamSynchronize(stream));
  std::fflush(stdout);
  std::_Exit(0);
}

// More streams than there is room for, one after the other.
int streams_of_many_threads() {
  for (int i = 0; i < 600; ++i) {
    std::thread([] {
      check(cudaLaunchHostFunc(
          cudaStreamPerThread, [](void*) {}, nullptr));
      check(cudaStreamSynchronize(cudaStreamPerThread));
    }).join();
  }
  return 0;
}

// Its first operations have left the record when it ends, but are still counted.
int group_larger_than_the_ring() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  check(ncclGroupStart());
  for (int i = 0; i < 5000; ++i) all_reduce(buffer, communicator, stream);
  check(ncclGroupEnd());
  check(cudaStreamSynchronize(stream));
  all_reduce(buffer, communicator, stream);
  check(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace gridlock
