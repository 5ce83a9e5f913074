// As an elastic job: 1,100 communicators in turn, each by its own id. The last ones are used with a
// late rank.
// Naive view: what found no room in a table of ids was made with the same id.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  for (int round = 0; round < 1100; ++round) {
    ncclUniqueId id{};
    if (rank() == 0) check(ncclGetUniqueId(&id));
    check(cudaMemcpy(two.y, &id, sizeof id, cudaMemcpyHostToDevice));
    check(ncclBroadcast(two.y, two.y, sizeof id, ncclChar, 0, two.second, two.on_second));
    check(cudaStreamSynchronize(two.on_second));
    check(cudaMemcpy(&id, two.y, sizeof id, cudaMemcpyDeviceToHost));
    if (round > 1095 && rank() == round % 2) pause_ms(300);
    ncclComm_t one = nullptr;
    check(ncclCommInitRank(&one, 2, id, rank()));
    if (round > 1095) {
      if (rank() != round % 2) pause_ms(300);
      all_reduce(one, two.on_first, two.x);
      check(cudaStreamSynchronize(two.on_first));
    }
    check(ncclCommDestroy(one));
  }
  return 0;
}
