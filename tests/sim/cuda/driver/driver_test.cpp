// The driver's functions by name, and what the simulation's stream memory operations refuse.
#include "tests/sim/cuda/driver/driver.h"

#include <cudaTypedefs.h>
#include <dlfcn.h>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::entry;
using sim_test::Gate;

CUdeviceptr address(std::atomic<std::uint32_t>& word) {
  return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(&word));
}

TEST(CudaDriver, SaysWhatItDoesNotHave) {
  void* function = &function;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
  check(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 12000, 0, &found));
  EXPECT_EQ(found, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
}

// NCCL before 2.21 asks the driver's library, not the runtime, and by the older function.
TEST(CudaDriver, OldProgramsFindFunctionsToo) {
  void* older = dlsym(RTLD_DEFAULT, "cuGetProcAddress");
  ASSERT_NE(older, nullptr);
  auto* find = reinterpret_cast<PFN_cuGetProcAddress_v11030>(older);
  void* function = nullptr;
  EXPECT_EQ(find("cuMemCreate", &function, 10020, 0), CUDA_SUCCESS);
  EXPECT_EQ(function, reinterpret_cast<void*>(entry<decltype(cuMemCreate)>("cuMemCreate")));
  EXPECT_EQ(find("cuNoSuchThing", &function, 10020, 0), CUDA_ERROR_NOT_FOUND);
}

TEST(CudaDriver, WritesAtOnceOnlyWhereNothingIsBefore) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  std::atomic<std::uint32_t> word{0};
  cudaStream_t blocking = nullptr;
  check(cudaStreamCreate(&blocking));
  ASSERT_EQ(write(blocking, address(word), 1, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(word.load(), 1u);
  // The legacy stream's work comes first, although it is in another queue.
  Gate gate;
  gate.hold(nullptr);
  ASSERT_EQ(write(blocking, address(word), 2, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(word.load(), 1u);
  gate.open();
  check(cudaStreamSynchronize(blocking));
  EXPECT_EQ(word.load(), 2u);
  check(cudaStreamDestroy(blocking));
}

TEST(CudaDriver, AnswersWithNullWhatAPointerIsNot) {
  auto* ask = entry<decltype(cuPointerGetAttributes)>("cuPointerGetAttributes");
  int own = 0;
  unsigned long long id = ~0ull;
  bool managed = true;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* answers[] = {&id, &managed};
  const auto pointer = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(&own));
  ASSERT_EQ(ask(2, asked, answers, pointer), CUDA_SUCCESS);
  EXPECT_EQ(id, 0u);
  EXPECT_FALSE(managed);
}

TEST(CudaDriver, RefusesNonsense) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32_v2");
  std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(write(nullptr, address(word) + 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(write(nullptr, 0, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(write(nullptr, address(word), 1, 0x100), CUDA_ERROR_INVALID_VALUE);
}

TEST(CudaDriver, ContextsAndNames) {
  auto* current = entry<decltype(cuCtxGetCurrent)>("cuCtxGetCurrent");
  auto* name = entry<decltype(cuGetErrorName)>("cuGetErrorName");
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  ASSERT_EQ(current(&first), CUDA_SUCCESS);
  check(cudaSetDevice(1));
  ASSERT_EQ(current(&second), CUDA_SUCCESS);
  check(cudaSetDevice(0));
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
  const char* text = nullptr;
  ASSERT_EQ(name(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
}

}  // namespace
