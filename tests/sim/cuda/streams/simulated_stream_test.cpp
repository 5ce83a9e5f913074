// Streams, where the simulation specifies more than CUDA: its threads and kernels, destroyed
// handles, and what a host function must not do.
#include <csignal>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;

TEST(SimulatedStream, ItsThreadIsNamedAndTakesNoSignals) {
  const StreamOwner stream;
  char name[16] = {};
  bool blocked = false;
  check(sim::launch(stream, [&] {
    pthread_getname_np(pthread_self(), name, sizeof name);
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, nullptr, &set);
    blocked = sigismember(&set, SIGALRM) == 1;
  }));
  check(cudaStreamSynchronize(stream));
  EXPECT_STREQ(name, "sim-stream");
  EXPECT_TRUE(blocked);
}

TEST(SimulatedStream, AnIdleThreadSleeps) {
  const StreamOwner stream;
  std::atomic<pid_t> id{0};
  check(sim::launch(stream, [&] { id.store(gettid()); }));
  check(cudaStreamSynchronize(stream));
  while (sim_test::thread_state(id.load()) != 'S') sched_yield();
  check(sim::launch(stream, [&] { id.store(0); }));  // and wakes up
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(id.load(), 0);
}

TEST(SimulatedStream, ADestroyedOneIsNoticedAlsoWhileItHasWork) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  Gate gate;
  gate.hold(stream);
  check(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
}

TEST(SimulatedStream, ADestroyedEventIsNoticed) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  check(cudaEventDestroy(event));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
}

TEST(SimulatedStream, KernelNeedsAFunction) {
  EXPECT_EQ(simLaunch(nullptr, nullptr, nullptr, nullptr), cudaErrorInvalidDeviceFunction);
}

TEST(SimulatedStream, KernelNeedsAStreamOfTheCurrentDevice) {
  const StreamOwner stream;
  check(cudaSetDevice(1));
  EXPECT_EQ(sim::launch(stream, [] {}), cudaErrorInvalidResourceHandle);
  check(cudaSetDevice(0));
  EXPECT_EQ(sim::launch(stream, [] {}), cudaSuccess);
  check(cudaStreamSynchronize(stream));
}

TEST(SimulatedStream, DropsAKernelsArgumentAfterItRan) {
  const StreamOwner stream;
  struct Count {
    int ran = 0;
    int dropped = 0;
  } count;
  check(simLaunch(
      stream, [](void* argument) { ++static_cast<Count*>(argument)->ran; }, &count,
      [](void* argument) {
        static_cast<Count*>(argument)->dropped = static_cast<Count*>(argument)->ran;
      }));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(count.ran, 1);
  EXPECT_EQ(count.dropped, 1);
}

// CUDA forbids it, but need not notice it.
TEST(SimulatedStream, HostFunctionMayNotUseCuda) {
  const StreamOwner stream;
  cudaError_t error = cudaSuccess;
  check(cudaLaunchHostFunc(
      stream,
      [](void* argument) { *static_cast<cudaError_t*>(argument) = cudaDeviceSynchronize(); },
      &error));
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(error, cudaErrorNotPermitted);
}

}  // namespace
