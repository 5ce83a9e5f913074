// An ordinary healthy program of one rank with two devices and a thread for each. The second thread
// makes its first call late. Its name is the program's; see the test.
#include <cuda_runtime.h>
#include <nccl.h>

#include <chrono>
#include <thread>

namespace {

bool take_part(const ncclUniqueId& id, int device) {
  cudaSetDevice(device);
  ncclComm_t world = nullptr;
  return ncclCommInitRank(&world, 2, id, device) == ncclSuccess &&
         ncclCommDestroy(world) == ncclSuccess;
}

}  // namespace

int main() {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  bool late_came = false;
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    late_came = take_part(id, 1);
  });
  const bool came = take_part(id, 0);
  late.join();
  return came && late_came ? 0 : 1;
}
