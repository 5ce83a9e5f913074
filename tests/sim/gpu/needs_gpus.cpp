// If there are too few GPUs, every test of the program is skipped and says why.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

class Gpus : public testing::Environment {
 public:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
      GTEST_SKIP() << "needs a GPU: cudaGetDeviceCount says " << cudaGetErrorString(error);
    }
    ASSERT_EQ(error, cudaSuccess);
    if (devices < GRIDLOCK_NEEDED_GPUS) {
      GTEST_SKIP() << "needs " << GRIDLOCK_NEEDED_GPUS << " GPUs in one process, there are "
                   << devices;
    }
    for (int device = 0; device < devices; ++device) {
      ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
      // A waiting thread must sleep, because the tests recognize a wait by that.
      ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
    }
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
};

const testing::Environment* const kGpus = testing::AddGlobalTestEnvironment(new Gpus);

}  // namespace
