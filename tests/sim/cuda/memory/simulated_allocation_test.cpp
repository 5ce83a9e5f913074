// Where the simulation puts allocations, what a device's memory size means, and what stream order
// allows.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::free_memory;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

using SimulatedAllocation = sim_test::OnIdleDevice;

std::size_t total_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return total;
}

TEST_F(SimulatedAllocation, ADeviceIsFullWhenItsMemoryIsInUse) {
  const std::size_t before = free_memory();
  void* most = nullptr;
  void* more = nullptr;
  check(cudaMalloc(&most, before - 512));
  EXPECT_EQ(free_memory(), 512u);
  EXPECT_EQ(cudaMalloc(&more, 513), cudaErrorMemoryAllocation);
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  check(cudaMalloc(&more, 512));
  EXPECT_EQ(free_memory(), 0u);
  check(cudaSetDevice(1));  // another device has its own memory
  void* elsewhere = nullptr;
  EXPECT_EQ(cudaMalloc(&elsewhere, 1 << 20), cudaSuccess);
  check(cudaFree(elsewhere));
  check(cudaSetDevice(0));
  check(cudaFree(most));
  check(cudaFree(more));
  EXPECT_EQ(free_memory(), before);
  EXPECT_EQ(cudaMalloc(&more, total_memory() + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&more, SIZE_MAX), cudaErrorMemoryAllocation);
  static_cast<void>(cudaGetLastError());
}

TEST_F(SimulatedAllocation, AllocationsAreAlignedAndApart) {
  std::vector<std::byte*> blocks;
  for (std::size_t bytes = 1; bytes < 3000; bytes += 97) {
    void* block = nullptr;
    check(cudaMalloc(&block, bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0u);
    std::memset(block, static_cast<int>(bytes), bytes);
    blocks.push_back(static_cast<std::byte*>(block));
  }
  std::size_t i = 0;
  for (std::size_t bytes = 1; bytes < 3000; bytes += 97, ++i) {
    EXPECT_EQ(blocks[i][0], static_cast<std::byte>(bytes));
    EXPECT_EQ(blocks[i][bytes - 1], static_cast<std::byte>(bytes));
    check(cudaFree(blocks[i]));
  }
}

// A thousand random steps. Each block is filled with a number of its own.
TEST_F(SimulatedAllocation, BlocksNeverOverlap) {
  struct Block {
    int* base;
    std::size_t count;
    int number;
  };
  const std::size_t before = free_memory();
  std::vector<Block> blocks;
  std::mt19937 random(1);
  const auto drop = [&](std::size_t index) {
    const Block block = blocks[index];
    for (std::size_t i = 0; i < block.count; ++i) ASSERT_EQ(block.base[i], block.number);
    check(cudaFree(block.base));
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(index));
  };
  for (int step = 0; step < 1000; ++step) {
    if (blocks.empty() || random() % 5 < 3) {
      Block block{nullptr, 1 + random() % 5000, step};
      check(cudaMalloc(&block.base, block.count * sizeof(int)));
      std::fill_n(block.base, block.count, step);
      blocks.push_back(block);
    } else {
      drop(random() % blocks.size());
    }
  }
  while (!blocks.empty()) drop(blocks.size() - 1);
  EXPECT_EQ(free_memory(), before);
}

TEST_F(SimulatedAllocation, NeighbouringGapsBecomeOne) {
  constexpr std::size_t kFirst = std::size_t{3} << 20;
  constexpr std::size_t kSecond = std::size_t{5} << 20;
  for (const bool forwards : {true, false}) {
    void* first = nullptr;
    void* second = nullptr;
    void* fence = nullptr;
    void* both = nullptr;
    check(cudaMalloc(&first, kFirst));
    check(cudaMalloc(&second, kSecond));
    check(cudaMalloc(&fence, 1));
    ASSERT_EQ(static_cast<std::byte*>(first) + kFirst, second);
    check(cudaFree(forwards ? first : second));
    check(cudaFree(forwards ? second : first));
    check(cudaMalloc(&both, kFirst + kSecond));  // the smallest gap that is large enough
    EXPECT_EQ(both, first);
    check(cudaFree(both));
    check(cudaFree(fence));
  }
}

std::size_t resident_shared_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    std::size_t kib = 0;
    if (word == "RssShmem:" && file >> kib) return kib;
  }
  return 0;
}

TEST_F(SimulatedAllocation, FreedPagesGoBackToTheSystem) {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  const std::size_t before = resident_shared_kib();
  void* memory = nullptr;
  check(cudaMalloc(&memory, kBytes));
  std::memset(memory, 1, kBytes);
  EXPECT_GE(resident_shared_kib(), before + (kBytes >> 10) / 2);
  check(cudaFree(memory));
  EXPECT_LT(resident_shared_kib(), before + (kBytes >> 10) / 2);
}

TEST_F(SimulatedAllocation, FreedMemoryMayBeHadAgainInTheSameStreamAtOnce) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  const std::size_t before = free_memory();
  void* first = nullptr;
  void* second = nullptr;
  check(cudaMallocAsync(&first, before, stream));
  check(cudaFreeAsync(first, stream));
  EXPECT_EQ(free_memory(), 0u);  // the stream has not reached the free
  check(cudaMallocAsync(&second, before, stream));
  EXPECT_EQ(first, second);
  check(cudaFreeAsync(second, stream));
  gate.open();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(free_memory(), before);
}

TEST_F(SimulatedAllocation, AnotherStreamGetsItAfterTheFree) {
  const StreamOwner freeing;
  const StreamOwner taking;
  Gate gate;
  const std::size_t before = free_memory();
  void* first = nullptr;
  void* second = nullptr;
  check(cudaMallocAsync(&first, before, freeing));
  gate.hold(freeing);
  check(cudaFreeAsync(first, freeing));
  check(cudaMallocAsync(&second, before, taking));
  EXPECT_EQ(first, second);
  std::atomic<bool> gate_was_open{false};
  check(sim::launch(taking, [&] { gate_was_open.store(gate.is_open()); }));
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaStreamSynchronize(taking)); }));
  EXPECT_TRUE(gate_was_open.load());
  check(cudaFree(second));
  EXPECT_EQ(free_memory(), before);
}

TEST_F(SimulatedAllocation, StreamOrderedAllocationFailsWhenNothingIsLeft) {
  const StreamOwner stream;
  void* all = nullptr;
  void* more = nullptr;
  check(cudaMallocAsync(&all, free_memory(), stream));
  EXPECT_EQ(cudaMallocAsync(&more, 1, stream), cudaErrorMemoryAllocation);
  static_cast<void>(cudaGetLastError());
  check(cudaFreeAsync(all, stream));
  check(cudaStreamSynchronize(stream));
}

}  // namespace
