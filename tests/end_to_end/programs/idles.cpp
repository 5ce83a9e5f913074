// An ordinary program in which a second thread of each rank has made its calls and idles: on a
// condition variable, in a read from a helper process, or in a join of a thread. The last rank
// leaves out the last all-reduce, so the others wait in it. The first argument says where the
// thread idles.
#include <cuda_runtime.h>
#include <nccl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "exchange_id.h"

namespace {

std::mutex g_mutex;
std::condition_variable g_work;

void wait_for_work() {
  std::unique_lock lock(g_mutex);
  while (true) g_work.wait(lock);
}

// The helper reads its task from the rank, which waits for the result.
void wait_for_helper(int to, int from) {
  static_cast<void>(to);
  char byte = 0;
  static_cast<void>(read(from, &byte, 1));
}

void idle(const std::string& where, int to, int from) {
  if (where == "condition") return wait_for_work();
  if (where == "helper") return wait_for_helper(to, from);
  std::thread(wait_for_work).join();
}

}  // namespace

int main(int /*count*/, char** arguments) {
  const std::string where = arguments[1];
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (pipe(to.data()) != 0 || pipe(from.data()) != 0) return 1;
  if (where == "helper" && fork() == 0) {
    close(to[1]);
    close(from[0]);
    char byte = 0;
    static_cast<void>(read(to[0], &byte, 1));
    _exit(0);
  }
  close(to[0]);
  close(from[1]);
  const int rank = number_from("RANK");
  const int ranks = number_from("WORLD_SIZE");
  cudaSetDevice(number_from("LOCAL_RANK"));
  ncclComm_t world = nullptr;
  if (ncclCommInitRank(&world, ranks, exchange_id(rank, ranks), rank) != ncclSuccess) return 1;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  float* values = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&values), sizeof(float));
  std::atomic<bool> has_called{false};
  std::thread other([&] {
    cudaStreamSynchronize(stream);  // a call that is recorded
    has_called = true;
    idle(where, to[1], from[0]);
  });
  while (!has_called) std::this_thread::yield();
  ncclAllReduce(values, values, 1, ncclFloat, ncclSum, world, stream);
  cudaStreamSynchronize(stream);
  if (rank == ranks - 1) {
    other.join();  // for ever
  }
  ncclAllReduce(values, values, 1, ncclFloat, ncclSum, world, stream);
  cudaStreamSynchronize(stream);
  std::_Exit(0);
}
