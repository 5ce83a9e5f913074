// An ordinary NCCL program, one process per GPU, that adds numbers up until it is ended. Its ranks
// may be on several hosts: they meet at NCCL_COMM_ID.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::string value_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text != nullptr) return text;
  std::fprintf(stderr, "%s is not set: start this program with a launcher\n", variable);
  std::exit(1);
}

}  // namespace

int main() {
  const int rank = std::stoi(value_of("RANK"));
  const std::string address = value_of("MASTER_ADDR") + ":" + value_of("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  cudaSetDevice(std::stoi(value_of("LOCAL_RANK")));
  ncclUniqueId id;
  ncclComm_t world = nullptr;
  if (ncclGetUniqueId(&id) != ncclSuccess ||
      ncclCommInitRank(&world, std::stoi(value_of("WORLD_SIZE")), id, rank) != ncclSuccess) {
    std::fprintf(stderr, "rank %d: %s\n", rank, ncclGetLastError(world));
    return 1;
  }
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  constexpr std::size_t kCount = 1000;
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), kCount * sizeof(float));
  for (bool first = true;; first = false) {
    ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, world, stream);
    cudaStreamSynchronize(stream);
    if (!first) continue;
    std::printf("adds up\n");
    std::fflush(stdout);
  }
}
