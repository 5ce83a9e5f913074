// A process that ends or forks while its streams still have work, and what the environment sets.
// Each test runs in its own process.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;

struct CudaProcess : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Holds a stream for ever.
void get_stuck(cudaStream_t stream) {
  static std::atomic<bool> never{false};
  check(sim::launch(stream, [] { never.wait(false); }));
  check(sim::launch(stream, [] { std::abort(); }));
}

TEST_F(CudaProcess, ExitsWithAStreamThatIsStuck) {
  EXPECT_EXIT(
      {
        cudaStream_t stream = nullptr;
        check(cudaStreamCreate(&stream));
        get_stuck(stream);
        get_stuck(nullptr);
        get_stuck(cudaStreamPerThread);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(CudaProcess, ExitsWhileAnotherThreadWaitsForTheDevice) {
  EXPECT_EXIT(
      {
        get_stuck(nullptr);
        std::atomic<pid_t> id{0};
        std::thread waiting([&] {
          id.store(gettid());
          check(cudaDeviceSynchronize());
        });
        while (id.load() == 0 || sim_test::thread_state(id.load()) != 'S') sched_yield();
        std::exit(4);
      },
      testing::ExitedWithCode(4), "");
}

TEST_F(CudaProcess, AForkedChildIsRefused) {
  EXPECT_EXIT(
      {
        check(cudaDeviceSynchronize());
        const pid_t child = fork();
        if (child == 0) {
          void* memory = nullptr;
          _exit(cudaMalloc(&memory, 1) == cudaErrorInitializationError &&
                        cudaDeviceSynchronize() == cudaErrorInitializationError
                    ? 0
                    : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        check(cudaDeviceSynchronize());
        std::exit(status);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(CudaProcess, AChildForkedBeforeTheFirstUseIsNot) {
  EXPECT_EXIT(
      {
        const pid_t child = fork();
        if (child == 0) {
          void* memory = nullptr;
          _exit(cudaMalloc(&memory, 1) == cudaSuccess ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        std::exit(status);
      },
      testing::ExitedWithCode(0), "");
}

int devices() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  return count;
}

TEST_F(CudaProcess, TheEnvironmentSetsDevicesAndMemory) {
  EXPECT_EXIT(
      {
        setenv("GRIDLOCK_SIM_DEVICES", "3", 1);
        setenv("GRIDLOCK_SIM_MEMORY", "64K", 1);
        void* memory = nullptr;
        const bool fits = cudaMalloc(&memory, 64 << 10) == cudaSuccess;
        const bool full = cudaMalloc(&memory, 1) == cudaErrorMemoryAllocation;
        std::exit(devices() == 3 && fits && full ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(CudaProcess, ThereIsADeviceForEachLocalRank) {
  EXPECT_EXIT(
      {
        setenv("LOCAL_WORLD_SIZE", "12", 1);
        std::exit(devices());
      },
      testing::ExitedWithCode(12), "");
}

TEST_F(CudaProcess, ASettingThatMakesNoSenseIsSaid) {
  EXPECT_EXIT(
      {
        setenv("GRIDLOCK_SIM_DEVICES", "many", 1);
        std::exit(devices());
      },
      testing::ExitedWithCode(8), "GRIDLOCK_SIM_DEVICES=many is not a number");
}

}  // namespace
