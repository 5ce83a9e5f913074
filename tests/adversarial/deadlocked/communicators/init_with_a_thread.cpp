// Rank 1 makes two communicators in the other order, in two blocking calls. Each rank waits in the
// init of the communicator that the other one has not reached.
// Expected: deadlock in init, of both ranks.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("init", {0, 1}).or_as("deadlock", "cycle", {0, 1})};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclUniqueId ids[2];
  void* memory = nullptr;
  check(cudaMalloc(&memory, sizeof ids));
  if (rank() == 0) {
    for (ncclUniqueId& id : ids) check(ncclGetUniqueId(&id));
    check(cudaMemcpy(memory, ids, sizeof ids, cudaMemcpyHostToDevice));
  }
  check(ncclBroadcast(memory, memory, sizeof ids, ncclChar, 0, world, nullptr));
  check(cudaMemcpy(ids, memory, sizeof ids, cudaMemcpyDeviceToHost));
  ncclComm_t first = nullptr;
  ncclComm_t second = nullptr;
  check(ncclCommInitRank(&first, 2, ids[rank() == 0 ? 0 : 1], rank()));
  check(ncclCommInitRank(&second, 2, ids[rank() == 0 ? 1 : 0], rank()));
  return 0;
}
