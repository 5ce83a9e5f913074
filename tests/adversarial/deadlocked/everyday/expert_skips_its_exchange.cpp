// Eight ranks, two groups of four experts, which exchange tokens by messages in a group. In the
// last step rank 6 has none, leaves the exchange out, and goes on to the reduction of all.
// Expected: deadlock; rank 6 is to blame, for nobody would wait in a circle without it.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {6}), .ranks = 8};

int program(int, char**) {
  const Training training;
  ncclComm_t experts = nullptr;
  check(ncclCommSplit(training.world, rank() / 4, rank(), &experts, nullptr));
  float* tokens = device_floats(8192);
  for (int step = 0; step < 3; ++step) {
    const bool has_none = rank() == 6 && step == 2;
    check(ncclGroupStart());
    for (int peer = 0; peer < 4 && !has_none; ++peer) {
      float* own = tokens + 1024 * peer;
      check(ncclSend(own, 1024, ncclFloat, peer, experts, training.stream));
      check(ncclRecv(own + 4096, 1024, ncclFloat, peer, experts, training.stream));
    }
    check(ncclGroupEnd());
    training.step();
  }
  return 0;
}
