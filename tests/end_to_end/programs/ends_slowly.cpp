// A healthy program whose processes end slowly: the main thread is gone, but the process still
// exists, as on a busy machine while the kernel frees much memory.
#include <cuda_runtime.h>
#include <nccl.h>
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "join_world.h"

int main() {
  join_world();
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    std::_Exit(0);
  }).detach();
  pthread_exit(nullptr);
}
