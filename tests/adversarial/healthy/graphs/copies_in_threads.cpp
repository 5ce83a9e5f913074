// Threads launch graphs beside each other, each its own one, with an all-gather or a broadcast of
// one rank: copies, in which NCCL has no part.
// Naive view: calls on one communicator have an order, and differ where kinds alternate.
// Expected: completes.
#include <mutex>
#include <thread>
#include <vector>

#include "tests/adversarial/setup/alone.h"
#include "tests/adversarial/setup/graph.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t own = alone_in(world);
  std::mutex captures;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      const cudaStream_t stream = make_stream();
      float* data = device_floats();
      cudaGraphExec_t graph = nullptr;
      {
        const std::lock_guard lock(captures);
        graph = captured(stream, [&] {
          if (i % 2 == 0) {
            check(ncclBroadcast(data, data + 512, 8, ncclFloat, 0, own, stream));
          } else {
            check(ncclAllGather(data, data + 512, 8, ncclFloat, own, stream));
          }
        });
      }
      for (int launch = 0; launch < 500; ++launch) {
        check(cudaGraphLaunch(graph, stream));
        check(cudaStreamSynchronize(stream));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const cudaStream_t stream = make_stream();
  all_reduce(world, stream, device_floats());
  check(cudaStreamSynchronize(stream));
  return 0;
}
