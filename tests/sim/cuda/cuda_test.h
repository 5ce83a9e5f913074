// Shared by the tests of the CUDA side: gates in streams, and a way to see without a clock that a
// call waits.
#pragma once

#include <cuda_runtime.h>
#include <gridlock_sim/launch.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include "tests/sim/cuda/check.h"
#include "tests/sim/cuda/gate.h"

namespace sim_test {

inline std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}

// Why a test that needs `devices` devices cannot run here; empty if it can.
inline std::string why_not_on(int devices) {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  if (count >= devices) return {};
  return "needs " + std::to_string(devices) + " GPUs in one process, there is " +
         std::to_string(count);
}

// For tests of memory: streams that an earlier test destroyed may still have memory to free.
struct OnIdleDevice : testing::Test {
  void SetUp() override { check(cudaDeviceSynchronize()); }
};

inline char thread_state(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos ? '?' : line[name_end + 2];
}

// Whether `call` waits for `gate`: it must sleep while the gate is closed, and return only after
// the gate is opened.
template <class Call>
testing::AssertionResult waits_for(Gate& gate, Call call, int device = 0) {
  std::atomic<pid_t> id{0};
  std::atomic<bool> returned{false};
  bool open_at_return = false;
  std::thread thread([&] {
    static_cast<void>(cudaSetDevice(device));
    id.store(gettid());
    call();
    open_at_return = gate.is_open();
    returned.store(true);
  });
  while (id.load() == 0) sched_yield();
  while (!returned.load() && thread_state(id.load()) != 'S') sched_yield();
  const bool early = returned.load();
  gate.open();
  thread.join();
  if (early || !open_at_return) return testing::AssertionFailure() << "the call did not wait";
  return testing::AssertionSuccess();
}

struct StreamOwner {
  explicit StreamOwner(unsigned int flags = cudaStreamDefault) {
    check(cudaStreamCreateWithFlags(&stream, flags));
  }
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;
  ~StreamOwner() { static_cast<void>(cudaStreamDestroy(stream)); }
  operator cudaStream_t() const { return stream; }  // a handle that cleans up
  cudaStream_t stream = nullptr;
};

}  // namespace sim_test
