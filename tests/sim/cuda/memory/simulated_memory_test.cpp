// Memory calls, where the simulation decides what CUDA leaves open: a call that may wait does wait.
// Also several devices.
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::free_memory;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

using SimulatedMemory = sim_test::OnIdleDevice;

TEST_F(SimulatedMemory, MallocAndFreeWaitForTheDevice) {
  const StreamOwner stream(cudaStreamNonBlocking);
  void* memory = nullptr;
  {
    Gate gate;
    gate.hold(stream);
    EXPECT_TRUE(waits_for(gate, [&] { check(cudaMalloc(&memory, 1)); }));
  }
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaFree(memory)); }));
}

TEST_F(SimulatedMemory, PinnedAllocationAndFreeWaitForTheDevice) {
  const StreamOwner stream;
  void* memory = nullptr;
  {
    Gate gate;
    gate.hold(stream);
    EXPECT_TRUE(waits_for(gate, [&] { check(cudaMallocHost(&memory, 1)); }));
  }
  Gate gate;
  gate.hold(stream);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaFreeHost(memory)); }));
}

TEST_F(SimulatedMemory, OnlyTheOwningDeviceIsWaitedFor) {
  const StreamOwner held;
  Gate gate;
  gate.hold(held);
  check(cudaSetDevice(1));
  void* memory = nullptr;
  check(cudaMalloc(&memory, 1));
  check(cudaFree(memory));
  check(cudaSetDevice(0));
  EXPECT_EQ(cudaStreamQuery(held), cudaErrorNotReady);
}

TEST_F(SimulatedMemory, WhatIsFreedInAStreamIsRefusedAtOnce) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, 1024));
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  check(cudaFreeAsync(memory, stream));
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);  // the free is enqueued already
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST_F(SimulatedMemory, RegistersHostMemoryOnce) {
  std::vector<std::byte> memory(8192);
  void* device = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&device, memory.data(), 0), cudaErrorInvalidValue);
  check(cudaHostRegister(memory.data(), 4096, cudaHostRegisterMapped));
  EXPECT_EQ(cudaHostRegister(memory.data() + 4095, 1, 0), cudaErrorHostMemoryAlreadyRegistered);
  check(cudaHostRegister(memory.data() + 4096, 4096, 0));
  check(cudaHostGetDevicePointer(&device, memory.data() + 1, 0));
  EXPECT_EQ(device, memory.data() + 1);
  check(cudaHostUnregister(memory.data()));
  check(cudaHostUnregister(memory.data() + 4096));
  EXPECT_EQ(cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
  static_cast<void>(cudaGetLastError());
}

TEST_F(SimulatedMemory, ResetFreesWhatTheDeviceHolds) {
  check(cudaSetDevice(2));
  const std::size_t before = free_memory();
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  check(cudaMalloc(&memory, 1 << 20));
  check(cudaStreamCreate(&stream));
  check(cudaDeviceReset());
  EXPECT_EQ(free_memory(), before);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  static_cast<void>(cudaGetLastError());
  check(cudaSetDevice(0));
}

}  // namespace
