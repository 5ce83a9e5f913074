// Rank 1 joins a communicator without blocking, gives up after 300 ms, since rank 2 is late, and
// aborts. Then it goes on with the next collective of all ranks. Ranks 0 and 2 wait in the init.
// Naive view: rank 1's collective is on the legacy stream, where nothing shows that it has begun.
// Expected: rank 1 is to blame. (It had joined before it aborted, and nothing recorded says that
// the others were too late for it, so a stall is right too.)
#include "tests/adversarial/setup/non_blocking.h"

constinit const Trial trial{.expect = deadlock("init", {1}).or_as("stall", "init", {1}),
                            .ranks = 3,
                            .options = {"--stall-limit", "3s"},
                            .says = {"rank 1: has aborted the communicator that the others wait"}};

int program(int, char**) {
  ncclComm_t const world = join_world();
  float* const data = device_floats();
  ncclUniqueId id{};
  if (rank() == 0) check(ncclGetUniqueId(&id));
  check(cudaMemcpy(data, &id, sizeof id, cudaMemcpyHostToDevice));
  check(ncclBroadcast(data, data, sizeof id, ncclChar, 0, world, nullptr));
  check(cudaMemcpy(&id, data, sizeof id, cudaMemcpyDeviceToHost));
  ncclComm_t second = nullptr;
  if (rank() == 1) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    begin(ncclCommInitRankConfig(&second, ranks(), id, rank(), &config));
    pause_ms(300);
    check(ncclCommAbort(second));
  } else {
    if (rank() == 2) pause_ms(800);
    check(ncclCommInitRank(&second, ranks(), id, rank()));
  }
  all_reduce(world, nullptr, data);
  check(cudaDeviceSynchronize());
  return 0;
}
