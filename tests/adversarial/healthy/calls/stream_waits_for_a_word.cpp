// A stream waits for a word in memory (cuStreamWaitValue32, reached through the runtime's entry
// point) before a collective. Another thread, which makes no CUDA call, writes the word after 400
// ms.
// Naive view: everything before the collective on the stream is recorded.
// Expected: completes; at most a stall, never a deadlock.
#include <cuda.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  void* pinned = nullptr;
  check(cudaHostAlloc(&pinned, 4096, cudaHostAllocMapped));
  auto* word = static_cast<std::uint32_t*>(pinned);
  *word = 0;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPoint("cuStreamWaitValue32", &entry, cudaEnableDefault, &found));
  using Wait = CUresult (*)(CUstream, CUdeviceptr, std::uint32_t, unsigned);
  std::thread writer([&] {
    pause_ms(400 + 300 * static_cast<unsigned>(rank()));
    std::atomic_ref<std::uint32_t>(*word).store(1);
  });
  reinterpret_cast<Wait>(entry)(stream, reinterpret_cast<CUdeviceptr>(word), 1,
                                CU_STREAM_WAIT_VALUE_GEQ);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  writer.join();
  return 0;
}
