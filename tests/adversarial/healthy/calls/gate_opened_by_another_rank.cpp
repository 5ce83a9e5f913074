// A stream of rank 0 waits for a word in memory (cuStreamWaitValue32) that it shares with rank 1,
// before an all-reduce in which rank 1 already is. Rank 1's host opens the gate 800 ms later.
// Naive view: everything before the all-reduce on the stream is recorded.
// Expected: completes.
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <atomic>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  const int file = open(shared_file("gate").c_str(), O_RDWR | O_CREAT, 0600);
  if (ftruncate(file, 4096) != 0) return 5;
  auto* word =
      static_cast<std::uint32_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  check(cudaHostRegister(word, 4096, cudaHostRegisterMapped));
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPoint("cuStreamWaitValue32", &entry, cudaEnableDefault, &found));
  using Wait = CUresult (*)(CUstream, CUdeviceptr, std::uint32_t, unsigned);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) {
    reinterpret_cast<Wait>(entry)(stream, reinterpret_cast<CUdeviceptr>(word), 1,
                                  CU_STREAM_WAIT_VALUE_GEQ);
  }
  all_reduce(world, stream, data);
  if (rank() == 1) {
    pause_ms(800);
    std::atomic_ref(*word).store(1);
  }
  check(cudaStreamSynchronize(stream));
  return 0;
}
