// The speed of the simulation's collectives against message size and ranks: one process, with one
// thread and one simulated device per rank. CPU figures; they say nothing about any GPU.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

#include "scenarios/runtime/source_location.h"

namespace {

void check(bool good, gridlock::SourceLocation where = gridlock::SourceLocation::current()) {
  if (good) return;
  std::cerr << where.file_name() << ":" << where.line() << ": "
            << cudaGetErrorString(cudaGetLastError()) << " / " << ncclGetLastError(nullptr) << "\n";
  std::_Exit(1);
}

// `size` ranks of one communicator, each with a stream and two buffers of `bytes` on its own
// device.
class Ranks {
 public:
  Ranks(std::size_t size, std::size_t bytes)
      : communicators(size), streams(size), in(size), out(size) {
    std::vector<int> devices(size);
    std::iota(devices.begin(), devices.end(), 0);
    check(ncclCommInitAll(communicators.data(), static_cast<int>(size), devices.data()) ==
          ncclSuccess);
    for (std::size_t rank = 0; rank < size; ++rank) {
      check(cudaSetDevice(devices[rank]) == cudaSuccess);
      check(cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking) == cudaSuccess);
      check(cudaMalloc(&in[rank], bytes) == cudaSuccess);
      check(cudaMalloc(&out[rank], bytes) == cudaSuccess);
      check(cudaMemset(in[rank], 0, bytes) == cudaSuccess);
    }
  }

  // Blocks until every rank's stream is empty.
  void synchronize() {
    for (cudaStream_t stream : streams) check(cudaStreamSynchronize(stream) == cudaSuccess);
  }

  // Frees everything. Blocks until the devices are idle. Collective over the ranks, which are all
  // here.
  void close() {
    check(ncclGroupStart() == ncclSuccess);
    for (ncclComm_t communicator : communicators)
      check(ncclCommDestroy(communicator) == ncclSuccess);
    check(ncclGroupEnd() == ncclSuccess);
    for (std::size_t rank = 0; rank < streams.size(); ++rank) {
      check(cudaSetDevice(static_cast<int>(rank)) == cudaSuccess);
      check(cudaFree(in[rank]) == cudaSuccess);
      check(cudaFree(out[rank]) == cudaSuccess);
      check(cudaStreamDestroy(streams[rank]) == cudaSuccess);
    }
  }

  std::vector<ncclComm_t> communicators;
  std::vector<cudaStream_t> streams;
  std::vector<void*> in, out;
};

using Collective = ncclResult_t (*)(const void* in, void* out, std::size_t count, int rank,
                                    int ranks, ncclComm_t, cudaStream_t);

ncclResult_t all_reduce(const void* in, void* out, std::size_t count, int, int, ncclComm_t comm,
                        cudaStream_t stream) {
  return ncclAllReduce(in, out, count, ncclFloat, ncclSum, comm, stream);
}

ncclResult_t all_gather(const void* in, void* out, std::size_t count, int, int ranks,
                        ncclComm_t comm, cudaStream_t stream) {
  return ncclAllGather(in, out, count / static_cast<std::size_t>(ranks), ncclFloat, comm, stream);
}

ncclResult_t broadcast(const void* in, void* out, std::size_t count, int, int, ncclComm_t comm,
                       cudaStream_t stream) {
  return ncclBroadcast(in, out, count, ncclFloat, 0, comm, stream);
}

ncclResult_t ring(const void* in, void* out, std::size_t count, int rank, int ranks,
                  ncclComm_t comm, cudaStream_t stream) {
  const ncclResult_t sent = ncclSend(in, count, ncclFloat, (rank + 1) % ranks, comm, stream);
  return sent != ncclSuccess
             ? sent
             : ncclRecv(out, count, ncclFloat, (rank + ranks - 1) % ranks, comm, stream);
}

void run(benchmark::State& state, Collective collective) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto bytes = static_cast<std::size_t>(state.range(1));
  Ranks ranks(size, bytes);
  for (auto _ : state) {
    check(ncclGroupStart() == ncclSuccess);
    for (std::size_t rank = 0; rank < size; ++rank) {
      check(collective(ranks.in[rank], ranks.out[rank], bytes / sizeof(float),
                       static_cast<int>(rank), static_cast<int>(size), ranks.communicators[rank],
                       ranks.streams[rank]) == ncclSuccess);
    }
    check(ncclGroupEnd() == ncclSuccess);
    ranks.synchronize();
  }
  state.SetBytesProcessed(state.iterations() * state.range(1));
  ranks.close();
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"ranks", "bytes"})->UseRealTime()->Unit(benchmark::kMicrosecond);
  for (const int ranks : {2, 4, 8})
    for (const int bytes : {1 << 10, 64 << 10, 4 << 20}) b->Args({ranks, bytes});
}

BENCHMARK_CAPTURE(run, all_reduce, all_reduce)->Apply(sizes);
BENCHMARK_CAPTURE(run, all_gather, all_gather)->Apply(sizes);
BENCHMARK_CAPTURE(run, broadcast, broadcast)->Apply(sizes);
BENCHMARK_CAPTURE(run, send_recv_ring, ring)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
