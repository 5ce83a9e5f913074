// Only rank 0 has NCCL_COMM_ID, and rank 1 gets the id from it. Then the ranks use two
// communicators in different orders.
// Naive view: the ranks do not make the same communicator, because only one has the variable.
// Expected: deadlock, a cycle.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  if (rank() == 0) {
    const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
    setenv("NCCL_COMM_ID", address.c_str(), 1);
  }
  const Two two;
  const auto use = [&](ncclComm_t communicator) {
    all_reduce(communicator, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  };
  use(rank() == 0 ? two.first : two.second);
  use(rank() == 0 ? two.second : two.first);
  return 0;
}
