// A stream that waits for a word of the host's (cuStreamWaitValue32), as gates between frameworks
// do.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>

#include "tests/adversarial/setup/job.h"

class WordGate {
 public:
  WordGate() {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, 4096, cudaHostAllocMapped));
    word_ = static_cast<std::uint32_t*>(memory);
    *word_ = 0;
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPoint("cuStreamWaitValue32", &entry, cudaEnableDefault, &found));
    wait_ = reinterpret_cast<Wait>(entry);
  }
  // What comes later on the stream waits for open(value) or more.
  void close(cudaStream_t stream, std::uint32_t value = 1) const {
    const auto address = reinterpret_cast<CUdeviceptr>(word_);
    if (wait_(stream, address, value, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) std::_Exit(9);
  }
  void open(std::uint32_t value = 1) const { std::atomic_ref(*word_).store(value); }

 private:
  using Wait = CUresult (*)(CUstream, CUdeviceptr, std::uint32_t, unsigned);
  std::uint32_t* word_ = nullptr;
  Wait wait_ = nullptr;
};
