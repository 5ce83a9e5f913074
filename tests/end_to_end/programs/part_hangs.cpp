// Ranks 2 and 3 train on. Rank 0 waits in an all-reduce for rank 1, whose main thread reads from a
// pipe until another thread of it writes there, seconds later.
#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "join_world.h"

namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
constexpr auto kHeldUp = 3s;
constexpr auto kPause = 10ms;

void wait_for_own_thread() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::_Exit(1);
  std::thread other([&] {
    std::this_thread::sleep_for(kHeldUp);
    static_cast<void>(!write(ends[1], "", 1));
  });
  char byte = 0;
  static_cast<void>(!read(ends[0], &byte, 1));
  other.join();
}

}  // namespace

int main() {
  const auto [rank, ranks, world] = join_world();
  ncclComm_t group = nullptr;
  ncclCommSplit(world, rank / 2, rank, &group, nullptr);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), sizeof(float));
  const auto step = [&, group = group] {
    ncclAllReduce(values, values, 1, ncclFloat, ncclSum, group, stream);
    cudaStreamSynchronize(stream);
  };
  step();
  if (rank == 1) wait_for_own_thread();
  step();
  if (rank < 2) std::_Exit(0);
  for (auto left = 1.5 * kHeldUp; left > 0s; left -= kPause) {
    step();
    std::this_thread::sleep_for(kPause);
  }
  std::_Exit(0);
}
