// Parts that keep a group open.
#include <gridlock_sim/launch.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
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

// A collective of one rank is enqueued in its call, but not a message to oneself.
void send_to_itself(float* buffer, ncclComm_t communicator, cudaStream_t stream) {
  check(ncclSend(buffer, 4, ncclFloat32, 0, communicator, stream));
  check(ncclRecv(buffer + 4, 4, ncclFloat32, 0, communicator, stream));
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
  send_to_itself(buffer, first, stream);
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
  check(ncclSend(buffer, 4, ncclFloat32, 0, communicator, stream));
  make_buffer();
  return 0;
}

int copies_in_a_group() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  check(ncclGroupStart());
  all_reduce(buffer, communicator, stream);
  check(cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  check(cudaStreamSynchronize(stream));
  check(ncclAllReduce(buffer, buffer, 4, ncclFloat32, ncclSum, communicator, stream));
  check(ncclGroupEnd());
  return 0;
}

// NCCL drops the first two, and so uses the second stream alone.
int own_messages_in_place() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  ncclComm_t first = make_communicator("first");
  ncclComm_t second = make_communicator("second");
  check(ncclGroupStart());
  check(ncclSend(buffer, 4, ncclFloat32, 0, first, stream));
  check(ncclRecv(buffer, 4, ncclFloat32, 0, first, stream));
  send_to_itself(buffer, second, other);
  check(ncclGroupEnd());
  check(cudaDeviceSynchronize());
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
    check(ncclSend(buffer, 4, ncclFloat32, 0, communicator, stream));
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

// The first operations of each rank's group have left the record when it ends, but are still
// counted.
int groups_larger_than_the_ring() {
  std::array<ncclComm_t, 2> communicators{};
  std::array<cudaStream_t, 2> streams{};
  std::array<float*, 2> buffers{};
  const std::array<int, 2> devices{0, 1};
  check(ncclCommInitAll(communicators.data(), 2, devices.data()));
  const auto on_each = [&](auto call) {
    for (const std::size_t rank : {1U, 0U}) {
      check(cudaSetDevice(static_cast<int>(rank)));
      call(rank);
    }
  };
  on_each([&](std::size_t rank) {
    streams[rank] = make_stream();
    buffers[rank] = make_buffer();
  });
  on_each([&](std::size_t rank) {
    check(ncclGroupStart());
    for (int i = 0; i < 5000; ++i) all_reduce(buffers[rank], communicators[rank], streams[rank]);
    check(ncclGroupEnd());
  });
  const auto end = [&] {
    on_each([&](std::size_t rank) { check(cudaStreamSynchronize(streams[rank])); });
  };
  end();
  on_each([&](std::size_t rank) { all_reduce(buffers[rank], communicators[rank], streams[rank]); });
  end();
  return 0;
}

}  // namespace gridlock
