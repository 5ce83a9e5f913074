// Rank 0 tries to make a communicator as rank 5 of 2, which NCCL refuses, beside a receive, and is
// suspended.
// Naive view: a rank that has no core, and is not ready for one, sleeps in its wait.
// Expected: completes.
#include "tests/adversarial/setup/suspended.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Two two;
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  suspended_beside_a_receive(two, [&] {
    ncclComm_t made = nullptr;
    if (ncclCommInitRank(&made, 2, id, 5) == ncclSuccess) std::_Exit(5);
    if (ncclCommSplit(two.second, -7, 0, &made, nullptr) == ncclSuccess) std::_Exit(6);
  });
  return 0;
}
