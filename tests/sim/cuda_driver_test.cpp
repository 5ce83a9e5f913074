// The driver's functions by name, and stream memory operations.
#include <cuda.h>

#include "tests/sim/cuda_gate.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

template <class Function>
Function* entry(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  check(cudaGetDriverEntryPointByVersion(name, &function, 12000, 0, &found));
  EXPECT_EQ(found, cudaDriverEntryPointSuccess) << name;
  return reinterpret_cast<Function*>(function);
}

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

// Streams that order with the default stream, and streams that do not.
constexpr unsigned int kKinds[] = {cudaStreamDefault, cudaStreamNonBlocking};

void write_in_stream_order(unsigned int kind) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  std::atomic<std::uint32_t> before{0};
  std::atomic<std::uint32_t> after{0};
  const StreamOwner stream(kind);
  Gate gate;
  ASSERT_EQ(write(stream, address(before), 7, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaEventRecord(event, stream));
  gate.hold(stream);
  ASSERT_EQ(write(stream, address(after), 8, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  check(cudaEventSynchronize(event));
  EXPECT_EQ(before.load(), 7u);
  EXPECT_EQ(after.load(), 0u);
  gate.open();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(after.load(), 8u);
  check(cudaEventDestroy(event));
}

TEST(CudaDriver, WritesInStreamOrder) {
  for (const unsigned int kind : kKinds) write_in_stream_order(kind);
}

TEST(CudaDriver, WritesAtOnceOnlyWhereNothingIsBefore) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  std::atomic<std::uint32_t> word{0};
  cudaStream_t blocking = nullptr;
  check(cudaStreamCreate(&blocking));
  ASSERT_EQ(write(blocking, address(word), 1, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(word.load(), 1u);
  // What the legacy stream has is before it, though not in the same queue.
  Gate gate;
  gate.hold(nullptr);
  ASSERT_EQ(write(blocking, address(word), 2, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(word.load(), 1u);
  gate.open();
  check(cudaStreamSynchronize(blocking));
  EXPECT_EQ(word.load(), 2u);
  check(cudaStreamDestroy(blocking));
}

void write_between_threads(unsigned int kind) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  constexpr std::uint32_t kRounds = 2000;
  const StreamOwner stream(kind);
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::uint32_t> written{0};
  std::atomic<std::uint32_t> launched{0};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      for (std::uint32_t seen = 0; (seen = written.load()) != round;) written.wait(seen);
      check(sim::launch(stream, [&word, &wrong, round] {
        if (word.load(std::memory_order_relaxed) != round) ++wrong;
      }));
      launched.store(round);
      launched.notify_one();
    }
  });
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    EXPECT_EQ(write(stream, address(word), round, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
    written.store(round);
    written.notify_one();
    for (std::uint32_t seen = 0; (seen = launched.load()) != round;) launched.wait(seen);
    if (round % 2 == 0) check(cudaStreamSynchronize(stream));  // both idle and busy streams
  }
  other.join();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(wrong.load(), 0);
}

// A write is neither late for what another thread enqueues after it, nor early for what another
// thread has enqueued before it.
TEST(CudaDriver, WritesInTheOrderOfThreadsThatKnowOfEachOther) {
  for (const unsigned int kind : kKinds) write_between_threads(kind);
}

TEST(CudaDriver, WaitsForAValue) {
  auto* wait = entry<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  struct Case {
    unsigned int condition;
    std::uint32_t value;
    std::uint32_t from;
    std::uint32_t to;
  };
  for (const Case& c :
       {Case{CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
        Case{CU_STREAM_WAIT_VALUE_GEQ, 1, 0xffffffff, 2},  // wraps around
        Case{CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5}, Case{CU_STREAM_WAIT_VALUE_AND, 6, 1, 2},
        Case{CU_STREAM_WAIT_VALUE_NOR, 0xfffffff0, 0xf, 7}}) {
    const StreamOwner stream;
    std::atomic<std::uint32_t> word{c.from};
    ASSERT_EQ(wait(stream, address(word), c.value, c.condition), CUDA_SUCCESS);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    word.store(c.to);
    check(cudaStreamSynchronize(stream));
  }
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
