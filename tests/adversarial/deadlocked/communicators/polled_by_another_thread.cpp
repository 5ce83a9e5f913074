// On a communicator that does not block, a thread of rank 0 ends a group. The main thread asks
// NCCL until all is launched, and waits for it. Rank 1 comes only when rank 0 has told it to.
// Naive view: only the thread that called hears that its calls are launched.
// Expected: deadlock, a cycle.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

namespace {

void may_go_on(ncclResult_t result) {
  if (result != ncclInProgress) check(result);
}

void poll(ncclComm_t communicator) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) check(ncclCommGetAsyncError(communicator, &state));
  check(state);
}

}  // namespace

int program(int, char**) {
  const Two two;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t polled = nullptr;
  const ncclUniqueId id = exchange_id(rank(), ranks());
  may_go_on(ncclCommInitRankConfig(&polled, ranks(), id, rank(), &config));
  poll(polled);
  const auto reduce = [&] {
    may_go_on(ncclAllReduce(two.x, two.x, 16, ncclFloat, ncclSum, polled, two.on_first));
  };
  if (rank() == 0) {
    std::thread([&] {
      check(cudaSetDevice(0));
      check(ncclGroupStart());
      reduce();
      may_go_on(ncclGroupEnd());
    }).join();
    poll(polled);
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
  } else {
    two.be_told(0);
    reduce();
  }
  return 0;
}
