// Copies, where the simulation decides what CUDA leaves open: whether the host waits if it may, and
// pointers that do not fit the call.
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

constexpr std::size_t kStaged = 4096;
constexpr std::size_t kAwaited = std::size_t{1} << 20;

struct SimulatedCopy : testing::Test {
  void SetUp() override { check(cudaMalloc(&device, kAwaited)); }
  void TearDown() override { check(cudaFree(device)); }
  std::byte* device = nullptr;
  std::vector<std::byte> pageable = std::vector<std::byte>(kAwaited);
};

TEST_F(SimulatedCopy, LittleFromTheHostWaitsForTheDefaultStreamToo) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(
      gate, [&] { check(cudaMemcpy(device, pageable.data(), kStaged, cudaMemcpyHostToDevice)); }));
}

TEST_F(SimulatedCopy, AsynchronousOnesFromMuchPageableMemoryWait) {
  const StreamOwner stream(cudaStreamNonBlocking);
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] {
    check(cudaMemcpyAsync(device, pageable.data(), kAwaited, cudaMemcpyHostToDevice, stream));
  }));
}

TEST_F(SimulatedCopy, RefusesWrongDirections) {
  EXPECT_EQ(cudaMemcpy(pageable.data(), device, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, pageable.data(), 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, pageable.data(), 1, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(pageable.data(), 0, 1), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST_F(SimulatedCopy, RefusesWhatGoesBeyondAnAllocation) {
  EXPECT_EQ(cudaMemcpy(device + 1, pageable.data(), kAwaited, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(device + 1, 0, kAwaited), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

}  // namespace
