// A non-blocking split of rank 0 writes the child's handle into a variable on the heap. The program
// takes it from there, frees the memory, and puts other numbers in its place. Later a watchdog asks
// the parent for its state. In turn, a rank is late.
// Naive view: what lies there is a handle. On the real NCCL, asking such a "communicator" for its
// size may crash.
// Expected: completes.
#include <memory>
#include <vector>

#include "tests/adversarial/setup/non_blocking.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const ncclComm_t world = join_without_blocking();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int round = 0; round < 3; ++round) {
    auto place = std::make_unique<ncclComm_t>(nullptr);
    begin(ncclCommSplit(world, 0, rank(), place.get(), nullptr));
    const ncclComm_t child = when_there(*place);
    place.reset();
    std::vector<std::unique_ptr<std::uint64_t>> others;
    for (int i = 0; i < 64; ++i) others.push_back(std::make_unique<std::uint64_t>(0x123456789abcU));
    await(child);
    await(world);
    if (rank() == round % 2) hold(stream);
    begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, child, stream));
    await(child);
    if (rank() != round % 2) pause_ms(300);
    begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, world, stream));
    await(world);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
