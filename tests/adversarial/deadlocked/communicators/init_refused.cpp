// NCCL refuses the config that rank 1 passes to ncclCommInitRankConfig. Rank 1 ignores the error
// and waits for the others on the communicator that they already have.
// Expected: deadlock in init, rank 1 is missing.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("init", {1}), .ranks = 3};

int program(int, char**) {
  Two two;
  const int port = number_from("MASTER_PORT") + 1;
  setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
  const ncclUniqueId id = exchange_id(rank(), ranks());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (rank() == 1) config.blocking = 7;
  ncclComm_t more = nullptr;
  ncclCommInitRankConfig(&more, ranks(), id, rank(), &config);
  all_reduce(two.first, two.on_first, two.x);
  check(cudaDeviceSynchronize());
  return 0;
}
