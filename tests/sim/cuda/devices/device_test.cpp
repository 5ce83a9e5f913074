// Devices, as CUDA defines them, and a thread's last error.
#include <set>
#include <string>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;

TEST(CudaDevice, EachHasItsOwnBusId) {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  ASSERT_GE(count, 1);
  std::set<std::string> seen;
  for (int device = 0; device < count; ++device) {
    char text[32];
    check(cudaDeviceGetPCIBusId(text, sizeof text, device));
    seen.insert(text);
    int back = -1;
    check(cudaDeviceGetByPCIBusId(&back, text));
    EXPECT_EQ(back, device);
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device));
    int bus = -1;
    check(cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, device));
    EXPECT_EQ(bus, properties.pciBusID);
    EXPECT_STRNE(properties.name, "");
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
}

TEST(CudaDevice, RefusesWhatIsNotThere) {
  int count = 0;
  int value = 0;
  check(cudaGetDeviceCount(&count));
  EXPECT_EQ(cudaSetDevice(count), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, "FFFF:FF:00.0"), cudaErrorInvalidDevice);
  static_cast<void>(cudaGetLastError());
}

TEST(CudaDevice, CanDoStreamMemoryOperations) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(122), 0));
  EXPECT_EQ(value, 1);
}

TEST(CudaError, TheLastOneIsKeptUntilItIsRead) {
  static_cast<void>(cudaGetLastError());  // clears an error of an earlier test
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  check(cudaSetDevice(0));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CudaError, HasANameAndASentence) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(1000)), "unrecognized error code");
}

}  // namespace
