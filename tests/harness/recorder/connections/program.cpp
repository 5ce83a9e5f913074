// A program with more streams than the device has connections (CUDA_DEVICE_MAX_CONNECTIONS).
// Streams on one connection hold each other up. Which ones they are must not depend on the
// recorder, so the program prints for each stream whether it waits behind the first. Exit code 77
// without a GPU.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "kernels/spin.h"

namespace {

constexpr int kStreams = 12;
// Attempts per stream: on a busy machine, the work of a free stream may be late for other reasons.
constexpr int kTries = 3;
constexpr int kCannotRun = 77;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
  std::exit(1);
}

struct Device {
  std::array<cudaStream_t, kStreams> streams{};
  ncclComm_t world = nullptr;
  float* values = nullptr;  // two of them
  int* flag = nullptr;
  int* seen = nullptr;  // on the host
};

Device prepare() {
  Device device;
  for (cudaStream_t& stream : device.streams) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "stream");
  }
  check(cudaMalloc(reinterpret_cast<void**>(&device.values), 2 * sizeof(float)) == cudaSuccess &&
            cudaMalloc(reinterpret_cast<void**>(&device.flag), sizeof(int)) == cudaSuccess &&
            cudaMallocHost(reinterpret_cast<void**>(&device.seen), sizeof(int)) == cudaSuccess,
        "memory");
  ncclUniqueId id;
  check(ncclGetUniqueId(&id) == ncclSuccess &&
            ncclCommInitRank(&device.world, 1, id, 0) == ncclSuccess,
        "communicator");
  return device;
}

// An operation before and after which the recorder marks the stream.
void all_reduce(const Device& device, cudaStream_t stream) {
  check(ncclAllReduce(device.values, device.values + 1, 1, ncclFloat, ncclSum, device.world,
                      stream) == ncclSuccess,
        "all-reduce");
}

// The first stream spins until the other one sets the flag. If the other one waits behind the spin,
// it sets the flag only after the spin has ended.
//   Blocks   for at most the bound of a spin
bool is_held_up(const Device& device, cudaStream_t other) {
  const cudaStream_t first = device.streams.front();
  check(cudaMemsetAsync(device.flag, 0, sizeof(int), first) == cudaSuccess &&
            cudaStreamSynchronize(first) == cudaSuccess,
        "clearing");
  all_reduce(device, first);
  check(gridlock::kernels::launch_spin(gridlock::kernels::kSpinLimitNanoseconds, device.flag,
                                       first) == cudaSuccess &&
            cudaMemcpyAsync(device.seen, device.flag, sizeof(int), cudaMemcpyDeviceToHost, first) ==
                cudaSuccess,
        "spin");
  all_reduce(device, other);
  check(cudaMemsetAsync(device.flag, 1, sizeof(int), other) == cudaSuccess &&
            cudaStreamSynchronize(first) == cudaSuccess &&
            cudaStreamSynchronize(other) == cudaSuccess,
        "setting");
  return *device.seen == 0;
}

bool is_always_held_up(const Device& device, cudaStream_t other) {
  for (int i = 0; i < kTries; ++i) {
    if (!is_held_up(device, other)) return false;
  }
  return true;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "needs a GPU\n");
    return kCannotRun;
  }
  const Device device = prepare();
  // A stream waits behind itself. This also loads the kernels now, because a first launch may wait
  // for other work.
  check(is_held_up(device, device.streams.front()), "order within a stream");
  for (int i = 1; i < kStreams; ++i) {
    const bool held_up = is_always_held_up(device, device.streams.at(static_cast<std::size_t>(i)));
    std::printf("stream %d is %s\n", i, held_up ? "held up" : "free");
  }
  return ncclCommDestroy(device.world) == ncclSuccess ? 0 : 1;
}
