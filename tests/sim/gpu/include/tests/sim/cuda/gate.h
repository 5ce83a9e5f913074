// Replaces the simulation's gate when the tests of its behavior run on a GPU: the stream waits for
// a word in pinned memory. A host function could not wait instead, because CUDA may run host
// functions one at a time, so it would hold up those of all other streams too.
#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

#include "tests/sim/cuda/driver/driver.h"

namespace sim_test {

// A closed gate holds each stream that it was put into. Make it before another gate holds anything,
// because the first gate allocates, which may wait for the device.
class Gate {
 public:
  Gate() : word_(next_word()) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }  // the word is not freed, because streams may still read it

  void hold(cudaStream_t stream) {
    static auto* const wait = entry<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
    ASSERT_EQ(wait(stream, static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(&word_)), 1,
                   CU_STREAM_WAIT_VALUE_GEQ),
              CUDA_SUCCESS);
  }

  void open() { word_.store(1, std::memory_order_release); }

  bool is_open() const { return word_.load(std::memory_order_acquire) != 0; }

 private:
  using Word = std::atomic<std::uint32_t>;
  using Page = std::array<Word, 1024>;

  // Never freed, and no word is used twice: a stream may reach a gate long after its destruction.
  //   Errors  std::out_of_range after 1024 gates
  static Word& next_word() {
    static Page* const page = [] {
      void* memory = nullptr;
      check(cudaHostAlloc(&memory, sizeof(Page), cudaHostAllocMapped | cudaHostAllocPortable));
      return new (memory) Page{};
    }();
    static std::atomic<std::size_t> taken{0};
    return page->at(taken.fetch_add(1));
  }

  Word& word_;
};

}  // namespace sim_test
