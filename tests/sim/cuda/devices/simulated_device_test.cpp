// The simulation's several devices, and what it does not simulate.
#include <string>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;

TEST(SimulatedDevice, SaysThatItIsNone) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  EXPECT_STREQ(properties.name, "Gridlock simulated GPU");
}

// A GPU need not support it.
TEST(SimulatedDevice, CanDoTheFirstVersionOfStreamMemoryOperations) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(92), 0));
  EXPECT_EQ(value, 1);
}

TEST(SimulatedDevice, IsCurrentForOneThread) {
  check(cudaSetDevice(1));
  int here = -1;
  int there = -1;
  check(cudaGetDevice(&here));
  std::thread([&] { check(cudaGetDevice(&there)); }).join();
  EXPECT_EQ(here, 1);
  EXPECT_EQ(there, 0);
  check(cudaSetDevice(0));
}

TEST(SimulatedDevice, ReachesEveryOtherButNotItself) {
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  static_cast<void>(cudaGetLastError());
}

TEST(Unsupported, SaysSoAndFails) {
  testing::internal::CaptureStderr();
  void* memory = nullptr;
  EXPECT_EQ(cudaMallocManaged(&memory, 1, cudaMemAttachGlobal), cudaErrorNotSupported);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cudaMallocManaged is not simulated"), std::string::npos) << said;
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

}  // namespace
