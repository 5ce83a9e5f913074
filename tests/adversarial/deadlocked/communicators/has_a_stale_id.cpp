// Rank 2 does not read the id that rank 0 has made for this run, but one that an earlier run has
// left behind. So it waits for three others, and they for it. Naive view: no communicator forms, so
// all ranks are to blame. Expected: deadlock; rank 2 alone has another id than most.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("init", {2}), .ranks = 4, .says = {"with another id than the others"}};

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclUniqueId id = exchange_id(rank(), ranks());
  if (rank() == 2) check(ncclGetUniqueId(&id));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, ranks(), id, rank()));
  return 0;
}
