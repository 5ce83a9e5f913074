// Stream memory operations, which write the recorder's progress words: their order in a stream, and
// between threads.
#include <cuda.h>

#include <cstdint>
#include <new>

#include "tests/sim/cuda/cuda_test.h"
#include "tests/sim/cuda/driver/driver.h"

namespace {

using sim_test::check;
using sim_test::entry;
using sim_test::Gate;
using sim_test::StreamOwner;

// A word that the device may write.
class Word {
 public:
  explicit Word(std::uint32_t value) {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(std::atomic<std::uint32_t>), cudaHostAllocMapped));
    word_ = new (memory) std::atomic<std::uint32_t>(value);
  }
  Word(const Word&) = delete;
  Word& operator=(const Word&) = delete;
  ~Word() { check(cudaFreeHost(word_)); }

  CUdeviceptr address() const {
    return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(word_));
  }
  std::uint32_t load() const { return word_->load(); }
  void store(std::uint32_t value) { word_->store(value); }

 private:
  std::atomic<std::uint32_t>* word_ = nullptr;
};

// Streams that order with the default stream, and streams that do not.
constexpr unsigned int kStreamKinds[] = {cudaStreamDefault, cudaStreamNonBlocking};

void write_in_stream_order(unsigned int kind) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  const Word before(0);
  const Word after(0);
  const StreamOwner stream(kind);
  Gate gate;
  ASSERT_EQ(write(stream, before.address(), 7, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaEventRecord(event, stream));
  gate.hold(stream);
  ASSERT_EQ(write(stream, after.address(), 8, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  check(cudaEventSynchronize(event));
  EXPECT_EQ(before.load(), 7u);
  EXPECT_EQ(after.load(), 0u);
  gate.open();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(after.load(), 8u);
  check(cudaEventDestroy(event));
}

TEST(CudaStreamMemory, WritesInStreamOrder) {
  for (const unsigned int kind : kStreamKinds) write_in_stream_order(kind);
}

void write_in_a_row(unsigned int kind) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  constexpr std::uint32_t kWrites = 5;
  const Word word(0);
  const Word behind(0);
  const StreamOwner stream(kind);
  Gate first;
  Gate second;
  first.hold(stream);
  for (std::uint32_t value = 1; value <= kWrites; ++value) {
    ASSERT_EQ(write(stream, word.address(), value, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  }
  second.hold(stream);
  ASSERT_EQ(write(stream, behind.address(), 1, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(word.load(), 0u);
  first.open();
  while (word.load() != kWrites) std::this_thread::yield();
  EXPECT_EQ(behind.load(), 0u);
  second.open();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(word.load(), kWrites);
  EXPECT_EQ(behind.load(), 1u);
}

TEST(CudaStreamMemory, WritesAnyNumberInARow) {
  for (const unsigned int kind : kStreamKinds) write_in_a_row(kind);
}

void write_between_threads(unsigned int kind) {
  auto* write = entry<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  constexpr std::uint32_t kRounds = 2000;
  const StreamOwner stream(kind);
  const Word word(0);
  std::atomic<std::uint32_t> written{0};
  std::atomic<std::uint32_t> launched{0};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      for (std::uint32_t seen = 0; (seen = written.load()) != round;) written.wait(seen);
      check(sim::launch(stream, [&word, &wrong, round] {
        if (word.load() != round) ++wrong;
      }));
      launched.store(round);
      launched.notify_one();
    }
  });
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    EXPECT_EQ(write(stream, word.address(), round, CU_STREAM_WRITE_VALUE_DEFAULT), CUDA_SUCCESS);
    written.store(round);
    written.notify_one();
    for (std::uint32_t seen = 0; (seen = launched.load()) != round;) launched.wait(seen);
    if (round % 2 == 0) check(cudaStreamSynchronize(stream));  // both idle and busy streams
  }
  other.join();
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(wrong.load(), 0);
}

// Work that another thread enqueues after a write sees it, and work that another thread enqueued
// before it does not.
TEST(CudaStreamMemory, WritesInTheOrderOfThreadsThatKnowOfEachOther) {
  for (const unsigned int kind : kStreamKinds) write_between_threads(kind);
}

TEST(CudaStreamMemory, WaitsForAValue) {
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
    Word word(c.from);
    ASSERT_EQ(wait(stream, word.address(), c.value, c.condition), CUDA_SUCCESS);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    word.store(c.to);
    check(cudaStreamSynchronize(stream));
  }
}

}  // namespace
