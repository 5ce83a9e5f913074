// Faults of devices (GRIDLOCK_SIM_FAULT). The variable is read once, so each test runs in a process
// of its own.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/sim/cuda/cuda_test.h"
#include "tests/sim/nccl/ranks.h"

namespace {

using sim_test::check;

struct SimulatedFault : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

cudaError_t launch_nothing() {
  return sim::launch(nullptr, [] {});
}

// Runs `holds` with the fault, and ends the process with 0 if it returns true.
[[noreturn]] void with_fault(const char* fault, const std::function<bool()>& holds) {
  setenv("GRIDLOCK_SIM_FAULT", fault, 1);
  _exit(holds() ? 0 : 1);
}

// Whether two launches work, and a synchronization after the second says `error`.
bool second_launch_ends_in(cudaError_t error) {
  return launch_nothing() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess &&
         launch_nothing() == cudaSuccess && cudaDeviceSynchronize() == error;
}

TEST_F(SimulatedFault, ALostDeviceFailsEveryCallAndNoResetHelps) {
  const auto holds = [] {
    void* memory = nullptr;
    const bool is_lost =
        second_launch_ends_in(cudaErrorUnknown) && launch_nothing() == cudaErrorUnknown &&
        cudaMalloc(&memory, 1) == cudaErrorUnknown && cudaDeviceReset() == cudaErrorUnknown &&
        cudaDeviceSynchronize() == cudaErrorUnknown;
    check(cudaSetDevice(1));
    return is_lost && launch_nothing() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
  };
  EXPECT_EXIT(with_fault("lost:0@launch=2", holds), testing::ExitedWithCode(0),
              "device 0 is lost, as after Xid 79, at launch 2");
}

TEST_F(SimulatedFault, AnIllegalAddressStaysUntilTheDeviceIsReset) {
  const auto holds = [] {
    return second_launch_ends_in(cudaErrorIllegalAddress) &&
           launch_nothing() == cudaErrorIllegalAddress && cudaDeviceReset() == cudaSuccess &&
           launch_nothing() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
  };
  EXPECT_EXIT(with_fault("illegal_address:*@launch=2", holds), testing::ExitedWithCode(0),
              "device 0 reads an illegal address at launch 2");
}

TEST_F(SimulatedFault, NothingBehindTheFaultRuns) {
  const auto holds = [] {
    static std::atomic<int> ran{0};
    sim_test::Gate gate;
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate.hold(stream);
    for (int kernel = 0; kernel < 3; ++kernel) check(sim::launch(stream, [] { ++ran; }));
    gate.open();
    return cudaStreamSynchronize(stream) == cudaErrorUnknown && ran == 1;
  };
  EXPECT_EXIT(with_fault("lost:0@launch=3", holds), testing::ExitedWithCode(0), "");
}

TEST_F(SimulatedFault, AKernelThatNeverEndsHoldsItsStreamAlone) {
  const auto holds = [] {
    cudaStream_t one = nullptr;
    cudaStream_t other = nullptr;
    check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    check(sim::launch(one, [] {}));
    check(sim::launch(other, [] {}));
    // Whichever begins first never ends.
    while (cudaStreamQuery(one) != cudaSuccess && cudaStreamQuery(other) != cudaSuccess) {
      sched_yield();
    }
    return cudaStreamQuery(one) == cudaErrorNotReady || cudaStreamQuery(other) == cudaErrorNotReady;
  };
  EXPECT_EXIT(with_fault("hang:0", holds), testing::ExitedWithCode(0),
              "device 0 runs a kernel that never ends at launch 1");
}

// Milliseconds that a kernel with much work takes on a device.
double kernel_ms(int device) {
  check(cudaSetDevice(device));
  cudaEvent_t began = nullptr;
  cudaEvent_t ended = nullptr;
  check(cudaEventCreate(&began));
  check(cudaEventCreate(&ended));
  check(cudaEventRecord(began, nullptr));
  check(sim::launch(nullptr, [] {
    static std::atomic<int> sink{0};
    for (int i = 0; i < 1'000'000; ++i) sink.store(i);
  }));
  check(cudaEventRecord(ended, nullptr));
  check(cudaDeviceSynchronize());
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, began, ended));
  return milliseconds;
}

TEST_F(SimulatedFault, ASlowDeviceTakesLongerForTheSameWork) {
  const auto holds = [] {
    double fast = kernel_ms(0);
    for (int again = 0; again < 19; ++again) fast = std::min(fast, kernel_ms(0));
    return kernel_ms(1) > 10 * fast;  // 20 times as long; `fast` may have lost its core
  };
  EXPECT_EXIT(with_fault("slow:1:20", holds), testing::ExitedWithCode(0),
              "device 1 becomes slow at launch 1");
}

// Each rank ends the process, because a communicator on a broken device cannot be closed in order.
TEST_F(SimulatedFault, CollectivesCountAsKernelsAndBrokenDevicesRefuseThem) {
  const auto holds = [] {
    sim_test::with_ranks(1, [](sim_test::Rank& rank) {
      const sim_test::Device<int> one(2, 1);  // in place it would be no work
      const auto all_reduce = [&] {
        return ncclAllReduce(one.data(), one.data() + 1, 1, ncclInt, ncclSum, rank.comm,
                             rank.stream);
      };
      const bool works = all_reduce() == ncclSuccess &&
                         cudaStreamSynchronize(rank.stream) == cudaSuccess &&
                         all_reduce() == ncclSuccess;
      const bool broke = cudaStreamSynchronize(rank.stream) == cudaErrorUnknown;
      _exit(works && broke && all_reduce() == ncclUnhandledCudaError ? 0 : 1);
    });
    return false;
  };
  EXPECT_EXIT(with_fault("lost:*@launch=2", holds), testing::ExitedWithCode(0), "");
}

TEST_F(SimulatedFault, ABrokenDeviceEndsItsWaitingCollectives) {
  const auto holds = [] {
    sim_test::with_ranks(2, [](sim_test::Rank& rank) {
      const sim_test::Device<int> one(1, 1);
      if (rank.rank == 1) return;  // never calls
      sim_test::check(
          ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
      cudaStream_t other = nullptr;
      check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
      check(sim::launch(other, [] {}));
      _exit(cudaStreamSynchronize(rank.stream) == cudaErrorIllegalAddress ? 0 : 1);
    });
    return false;
  };
  EXPECT_EXIT(with_fault("illegal_address:0@launch=2", holds), testing::ExitedWithCode(0), "");
}

struct Refused {
  const char* fault;
  const char* sentence;
};

TEST_F(SimulatedFault, AFaultThatMakesNoSenseIsRefusedInOneSentence) {
  for (const auto& [fault, sentence] : {
           Refused{"broken:0", "\"broken:0\" is no fault: a fault is lost, illegal_address, hang"},
           Refused{"lost", "it needs a device: a number, or \\* for each"},
           Refused{"lost:-1", "it needs a device"},
           Refused{"lost:0:3", "only slow has a factor"},
           Refused{"slow:0", "slow needs a factor above 1"},
           Refused{"slow:0:1", "slow needs a factor above 1"},
           Refused{"slow:0:1e9", "at most 1000"},
           Refused{"lost:0@5", "after @ comes launch= and a number from 1 on"},
           Refused{"lost:0@launch=0", "a number from 1 on"},
           Refused{"lost:5000", "there is no device 5000"},
           Refused{"lost:1,hang:x", "\"hang:x\" is no fault"},
       }) {
    const auto goes_on = [] {
      return launch_nothing() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
    };
    EXPECT_EXIT(with_fault(fault, goes_on), testing::ExitedWithCode(0), sentence) << fault;
  }
}

TEST_F(SimulatedFault, SeveralFaultsStrikeEachInItsTurn) {
  const auto holds = [] {
    if (!second_launch_ends_in(cudaErrorIllegalAddress)) return false;
    check(cudaSetDevice(1));
    return second_launch_ends_in(cudaErrorUnknown);
  };
  EXPECT_EXIT(with_fault("illegal_address:0@launch=2,lost:1@launch=2", holds),
              testing::ExitedWithCode(0), "");
}

}  // namespace
