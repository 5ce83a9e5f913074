// Parts that allocate, copy and free beside a stream that is stuck.
#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

#include "tests/harness/recorder/parts.h"

namespace gridlock {
namespace {

void get_stuck(cudaStream_t stream) {
  check(cudaLaunchHostFunc(
      stream,
      [](void*) {
        for (;;) pause();
      },
      nullptr));
}

}  // namespace

// None of these calls waits, except the first allocation and the last call.
int waits_that_are_none() {
  cudaStream_t stream = make_stream();
  cudaStream_t other = make_stream();
  float* buffer = make_buffer();
  std::vector<float> pageable(256);
  void* nothing = nullptr;
  get_stuck(stream);
  check(cudaMalloc(&nothing, 0));
  check(cudaHostRegister(pageable.data(), 1024, cudaHostRegisterDefault));
  check(cudaHostUnregister(pageable.data()));
  check(cudaMemcpyAsync(buffer, pageable.data(), 1024, cudaMemcpyHostToDevice, stream));
  check(cudaMemcpyAsync(buffer, pageable.data(), 1024, cudaMemcpyDefault, stream));
  check(cudaMemcpyAsync(pageable.data(), buffer, 0, cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpy(pageable.data(), buffer, 0, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(buffer, buffer + 512, 1024, cudaMemcpyDefault));
  check(cudaStreamSynchronize(other));
  check(cudaDeviceSynchronize());
  return 0;
}

// Another thread makes memory and lives on, while the first waits.
int memory_of_another_thread() {
  cudaStream_t stream = make_stream();
  check(cudaStreamSynchronize(stream));
  std::promise<void> made;
  std::thread([&] {
    void* pinned = nullptr;
    check(cudaHostAlloc(&pinned, 4096, cudaHostAllocDefault));
    made.set_value();
    for (;;) pause();
  }).detach();
  made.get_future().wait();
  get_stuck(stream);
  check(cudaDeviceSynchronize());
  return 0;
}

// Another thread gives memory back, which waits for the device.
int free_of_another_thread() {
  cudaStream_t stream = make_stream();
  check(cudaStreamSynchronize(stream));
  float* buffer = make_buffer();
  get_stuck(stream);
  std::thread([&] { check(cudaFree(buffer)); }).join();
  return 0;
}

int free_on_another_device() {
  check(cudaSetDevice(1));
  float* buffer = make_buffer();
  get_stuck(make_stream());
  check(cudaSetDevice(0));
  check(cudaFree(buffer));
  return 0;
}

}  // namespace gridlock
