// An elastic job makes a new communicator for each of 1,100 rounds, and destroys it. Then rank 0
// waits on one more for rank 1, which waits for rank 0 on the world.
// Naive view: the ids of communicators that are gone take no room.
// Expected: deadlock; a cycle of both.
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  for (int round = 0; round < 1100; ++round) {
    ncclUniqueId id{};
    if (rank() == 0) check(ncclGetUniqueId(&id));
    check(cudaMemcpy(two.y, &id, sizeof id, cudaMemcpyHostToDevice));
    check(ncclBroadcast(two.y, two.y, sizeof id, ncclChar, 0, two.second, two.on_second));
    check(cudaStreamSynchronize(two.on_second));
    check(cudaMemcpy(&id, two.y, sizeof id, cudaMemcpyDeviceToHost));
    ncclComm_t one = nullptr;
    check(ncclCommInitRank(&one, 2, id, rank()));
    if (round < 1099) {
      check(ncclCommDestroy(one));
      continue;
    }
    if (rank() == 0) all_reduce(one, two.on_first, two.x);
    if (rank() == 0) check(cudaStreamSynchronize(two.on_first));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
