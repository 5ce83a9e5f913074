// Streams: order within one, independence between two, and the answers of the handle calls.
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

TEST(CudaStream, RunsItsWorkInOrder) {
  const StreamOwner stream;
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) check(sim::launch(stream, [&seen, i] { seen.push_back(i); }));
  check(cudaStreamSynchronize(stream));
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(CudaStream, RunsNothingInTheCallThatEnqueues) {
  const StreamOwner stream;
  std::atomic<pid_t> runner{0};
  check(sim::launch(stream, [&] { runner.store(gettid()); }));
  check(cudaStreamSynchronize(stream));
  EXPECT_NE(runner.load(), 0);
  EXPECT_NE(runner.load(), gettid());
}

TEST(CudaStream, StreamsAreIndependent) {
  const StreamOwner held;
  const StreamOwner other;
  Gate gate;
  gate.hold(held);
  check(sim::launch(other, [] {}));
  check(cudaStreamSynchronize(other));
  EXPECT_EQ(cudaStreamQuery(other), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(held), cudaErrorNotReady);
}

TEST(CudaStream, SynchronizeWaits) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaStreamSynchronize(stream)); }));
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
}

TEST(CudaStream, DeviceSynchronizeWaitsForEveryKindOfStream) {
  constexpr unsigned int kKinds[] = {cudaStreamDefault, cudaStreamNonBlocking};
  for (const unsigned int flags : kKinds) {
    const StreamOwner stream(flags);
    Gate gate;
    gate.hold(stream);
    EXPECT_TRUE(waits_for(gate, [] { check(cudaDeviceSynchronize()); }));
  }
  Gate gate;
  gate.hold(cudaStreamPerThread);
  EXPECT_TRUE(waits_for(gate, [] { check(cudaDeviceSynchronize()); }));
}

TEST(CudaStream, DestroyDoesNotWaitAndLosesNoWork) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  Gate gate;
  gate.hold(stream);
  std::atomic<bool> ran{false};
  check(sim::launch(stream, [&] { ran.store(true); }));
  check(cudaStreamDestroy(stream));  // returns while the gate is closed
  EXPECT_FALSE(ran.load());
  EXPECT_TRUE(waits_for(gate, [] { check(cudaDeviceSynchronize()); }));
  EXPECT_TRUE(ran.load());
}

TEST(CudaStream, TellsWhatItIs) {
  cudaStream_t stream = nullptr;
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100));
  unsigned int flags = 0;
  int priority = 0;
  int device = -1;
  unsigned long long id = 0;
  unsigned long long other = 0;
  check(cudaStreamGetFlags(stream, &flags));
  check(cudaStreamGetPriority(stream, &priority));
  check(cudaStreamGetDevice(stream, &device));
  check(cudaStreamGetId(stream, &id));
  check(cudaStreamGetId(nullptr, &other));
  EXPECT_EQ(flags, static_cast<unsigned int>(cudaStreamNonBlocking));
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(device, 0);
  EXPECT_NE(id, other);
  check(cudaStreamDestroy(stream));
}

TEST(CudaStream, RefusesNonsense) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 0x80), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

TEST(CudaStream, HostFunctionRunsInOrder) {
  const StreamOwner stream;
  struct Seen {
    bool kernel = false;
    bool kernel_before = false;
  } seen;
  check(sim::launch(stream, [&] { seen.kernel = true; }));
  check(cudaLaunchHostFunc(
      stream,
      [](void* argument) {
        auto* result = static_cast<Seen*>(argument);
        result->kernel_before = result->kernel;
      },
      &seen));
  check(cudaStreamSynchronize(stream));
  EXPECT_TRUE(seen.kernel_before);
}

TEST(CudaStream, CallbackGetsItsStream) {
  const StreamOwner stream;
  struct Seen {
    cudaStream_t stream = nullptr;
    cudaError_t status = cudaErrorUnknown;
  } seen;
  check(cudaStreamAddCallback(
      stream,
      [](cudaStream_t handle, cudaError_t status, void* argument) {
        *static_cast<Seen*>(argument) = {handle, status};
      },
      &seen, 0));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(seen.stream, stream.stream);
  EXPECT_EQ(seen.status, cudaSuccess);
}

TEST(CudaStream, ManyThreadsMayEnqueue) {
  const StreamOwner stream;
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  int count = 0;  // only the stream's thread touches it
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) check(sim::launch(stream, [&count] { ++count; }));
    });
  }
  for (std::thread& thread : threads) thread.join();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(count, kThreads * kEach);
}

}  // namespace
