// Memory calls, as CUDA defines them: what they refuse, and what they report about a pointer.
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;

using CudaMemory = sim_test::OnIdleDevice;

TEST_F(CudaMemory, StreamOrderedCallsDoNotWait) {
  const StreamOwner held;
  Gate gate;
  gate.hold(held);
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, 4096, held));
  check(cudaMemsetAsync(memory, 1, 4096, held));
  check(cudaFreeAsync(memory, held));
  check(cudaFree(nullptr));  // neither does this
  EXPECT_EQ(cudaStreamQuery(held), cudaErrorNotReady);
}

TEST_F(CudaMemory, RefusesWhatIsNotAllocated) {
  int local = 0;
  void* memory = nullptr;
  check(cudaMalloc(&memory, 1024));
  EXPECT_EQ(cudaFree(&local), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(static_cast<std::byte*>(memory) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(memory), cudaErrorInvalidValue);
  check(cudaFree(memory));
  static_cast<void>(cudaGetLastError());
}

TEST_F(CudaMemory, NothingIsASuccess) {
  void* memory = &memory;
  check(cudaMalloc(&memory, 0));
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 1), cudaErrorInvalidValue);
}

TEST_F(CudaMemory, PointersTellWhatTheyAre) {
  void* device = nullptr;
  void* pinned = nullptr;
  std::vector<std::byte> pageable(8192);
  check(cudaMalloc(&device, 4096));
  check(cudaMallocHost(&pinned, 4096));
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, static_cast<std::byte*>(device) + 4095));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  check(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes.devicePointer, pinned);
  check(cudaPointerGetAttributes(&attributes, pageable.data()));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  check(cudaHostRegister(pageable.data(), pageable.size(), cudaHostRegisterDefault));
  check(cudaPointerGetAttributes(&attributes, pageable.data() + 8191));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  check(cudaHostUnregister(pageable.data()));
  check(cudaFree(device));
  check(cudaFreeHost(pinned));
}

}  // namespace
