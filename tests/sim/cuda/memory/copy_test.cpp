// Copies: the bytes, and for each direction whether the host waits.
#include <array>
#include <numeric>
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

constexpr std::size_t kSmall = 4096;
constexpr std::size_t kLarge = std::size_t{1} << 20;

struct CudaCopy : testing::Test {
  void SetUp() override {
    check(cudaMalloc(&device, kLarge));
    check(cudaMalloc(&other, kLarge));
    check(cudaMallocHost(&pinned, kLarge));
  }
  void TearDown() override {
    check(cudaFree(device));
    check(cudaFree(other));
    check(cudaFreeHost(pinned));
  }
  std::byte* device = nullptr;
  std::byte* other = nullptr;
  std::byte* pinned = nullptr;
  std::vector<std::byte> pageable = std::vector<std::byte>(kLarge);
};

TEST_F(CudaCopy, RoundTrip) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 7);
  std::vector<int> back(1000);
  const std::size_t bytes = numbers.size() * sizeof(int);
  check(cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(other, device, bytes, cudaMemcpyDeviceToDevice));
  check(cudaMemcpy(back.data(), other, bytes, cudaMemcpyDefault));
  EXPECT_EQ(numbers, back);
}

TEST_F(CudaCopy, SynchronousCopiesWaitForTheDefaultStream) {
  struct Case {
    void* to;
    const void* from;
  };
  for (const Case& copy : {Case{device, pageable.data()}, Case{pageable.data(), device},
                           Case{device, pinned}, Case{pinned, device}}) {
    const StreamOwner stream;
    Gate gate;
    gate.hold(stream);
    EXPECT_TRUE(
        waits_for(gate, [&] { check(cudaMemcpy(copy.to, copy.from, kLarge, cudaMemcpyDefault)); }));
  }
}

TEST_F(CudaCopy, SynchronousCopiesDoNotWaitForNonBlockingStreams) {
  const StreamOwner stream(cudaStreamNonBlocking);
  Gate gate;
  gate.hold(stream);
  check(cudaMemcpy(device, pageable.data(), kSmall, cudaMemcpyHostToDevice));
  check(cudaMemcpy(pageable.data(), device, kSmall, cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST_F(CudaCopy, WithinDeviceMemoryTheHostDoesNotWait) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  check(cudaMemcpy(other, device, kLarge, cudaMemcpyDeviceToDevice));
  check(cudaMemset(device, 0, kLarge));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
}

TEST_F(CudaCopy, AsynchronousPinnedCopiesDoNotWait) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  check(cudaMemcpyAsync(device, pinned, kLarge, cudaMemcpyHostToDevice, stream));
  check(cudaMemcpyAsync(pinned, device, kLarge, cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(other, device, kLarge, cudaMemcpyDeviceToDevice, stream));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST_F(CudaCopy, RegisteredMemoryIsPinned) {
  check(cudaHostRegister(pageable.data(), pageable.size(), cudaHostRegisterDefault));
  {
    const StreamOwner stream;
    Gate gate;
    gate.hold(stream);
    check(cudaMemcpyAsync(pageable.data(), device, kLarge, cudaMemcpyDeviceToHost, stream));
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  }
  check(cudaDeviceSynchronize());
  check(cudaHostUnregister(pageable.data()));
}

TEST_F(CudaCopy, AsynchronousCopiesToPageableMemoryWait) {
  const StreamOwner stream(cudaStreamNonBlocking);
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] {
    check(cudaMemcpyAsync(pageable.data(), device, kSmall, cudaMemcpyDeviceToHost, stream));
  }));
}

TEST_F(CudaCopy, LittlePageableMemoryIsStagedAtOnce) {
  const StreamOwner stream;
  std::array<int, 4> numbers{1, 2, 3, 4};
  {
    Gate gate;
    gate.hold(stream);
    check(cudaMemcpyAsync(device, numbers.data(), sizeof numbers, cudaMemcpyHostToDevice, stream));
    numbers = {};  // the call has taken its copy
  }
  std::array<int, 4> back{};
  check(cudaMemcpy(back.data(), device, sizeof back, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, (std::array<int, 4>{1, 2, 3, 4}));
}

TEST_F(CudaCopy, BetweenHostMemoryTheHostWaits) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] {
    check(cudaMemcpyAsync(pageable.data(), pinned, kSmall, cudaMemcpyHostToHost, stream));
  }));
}

TEST_F(CudaCopy, FillingPinnedMemoryWaits) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaMemset(pinned, 5, kSmall)); }));
  EXPECT_EQ(pinned[kSmall - 1], std::byte{5});
}

TEST_F(CudaCopy, Rows) {
  const std::array<char, 12> from{'a', 'b', '-', '-', 'c', 'd', '-', '-', 'e', 'f', '-', '-'};
  std::array<char, 9> to{'.', '.', '.', '.', '.', '.', '.', '.', '.'};
  check(cudaMemcpy2D(device, 512, from.data(), 4, 2, 3, cudaMemcpyHostToDevice));
  check(cudaMemcpy2D(to.data(), 3, device, 512, 2, 3, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::string(to.data(), to.size()), "ab.cd.ef.");
  EXPECT_EQ(cudaMemcpy2D(device, 1, from.data(), 4, 2, 3, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  const StreamOwner stream;
  check(cudaMemcpy2DAsync(other, 2, device, 512, 2, 3, cudaMemcpyDeviceToDevice, stream));
  std::array<char, 6> packed{};
  check(cudaMemcpy(packed.data(), other, packed.size(), cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::string(packed.data(), packed.size()), "abcdef");
}

TEST_F(CudaCopy, RefusesNonsense) {
  EXPECT_EQ(cudaMemcpy(device, pinned, 1, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(nullptr, pinned, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST_F(CudaCopy, BetweenDevicesOrdersWithBoth) {
  if (const std::string why = sim_test::why_not_on(2); !why.empty()) GTEST_SKIP() << why;
  check(cudaSetDevice(1));
  std::byte* there = nullptr;
  check(cudaMalloc(&there, kSmall));
  const StreamOwner stream;  // of device 1
  Gate gate;
  gate.hold(stream);
  check(cudaMemset(there, 0, kSmall));
  check(cudaSetDevice(0));
  check(cudaMemset(device, 9, kSmall));
  check(cudaMemcpyPeer(there, 1, device, 0, kSmall));  // the host does not wait, the copy does
  EXPECT_TRUE(waits_for(gate, [] { check(cudaStreamSynchronize(nullptr)); }));
  std::array<std::byte, kSmall> back{};
  check(cudaSetDevice(1));
  check(cudaMemcpy(back.data(), there, kSmall, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back[kSmall - 1], std::byte{9});
  check(cudaFree(there));
  check(cudaSetDevice(0));
}

}  // namespace
