// Rank 0's first device waits for a collective to which rank 1 does not come; rank 1 waits for rank
// 0 on their second devices. On another stream of the first device, rank 0 takes a message that
// rank 2 sends after a while, and behind it a kernel fails. So rank 0's wait ends with an error,
// and it tells rank 1. Naive view: what rank 0's stream waits for never comes. Expected: ends by
// itself.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(),
                            .ranks = 3,
                            .environment = {"GRIDLOCK_SIM_FAULT=illegal_address:0@launch=4"}};

namespace {

// All ranks' first devices, or their second ones.
ncclComm_t join(int device, const ncclUniqueId& id) {
  check(cudaSetDevice(device));
  ncclComm_t all = nullptr;
  check(ncclCommInitRank(&all, ranks(), id, rank()));
  return all;
}

// Rank 0's id, on all ranks.
ncclUniqueId told_id(ncclComm_t by) {
  ncclUniqueId id{};
  if (rank() == 0) check(ncclGetUniqueId(&id));
  float* const memory = device_floats();
  check(cudaMemcpy(memory, &id, sizeof id, cudaMemcpyHostToDevice));
  check(ncclBroadcast(memory, memory, sizeof id, ncclChar, 0, by, nullptr));
  check(cudaMemcpy(&id, memory, sizeof id, cudaMemcpyDeviceToHost));
  return id;
}

ncclComm_t pair_of(ncclComm_t all) {
  ncclComm_t pair = nullptr;
  check(ncclCommSplit(all, rank() / 2, rank(), &pair, nullptr));
  return pair;
}

}  // namespace

int program(int, char**) {
  const int device = 2 * rank();
  ncclComm_t const messages = join(device, exchange_id(rank(), ranks()));
  const ncclUniqueId id = told_id(messages);
  ncclComm_t const first = pair_of(messages);
  cudaStream_t on_first = make_stream();
  cudaStream_t side = make_stream();
  float* const x = device_floats();
  float* const message = device_floats();
  ncclComm_t const second = pair_of(join(device + 1, id));
  cudaStream_t on_second = make_stream();
  float* const y = device_floats();
  check(cudaSetDevice(device));
  if (rank() == 2) {
    pause_ms(1500);
    check(ncclSend(message, 8, ncclFloat, 0, messages, side));
    check(cudaStreamSynchronize(side));
    std::_Exit(0);
  }
  if (rank() == 0) {
    all_reduce(first, on_first, x);
    check(ncclRecv(message, 8, ncclFloat, 2, messages, side));
    for (int i = 0; i < 3; ++i) check(sim::launch(side, [] {}));
    if (cudaStreamSynchronize(on_first) == cudaSuccess) return 5;
  }
  check(cudaSetDevice(device + 1));
  check(ncclBroadcast(y, y, 8, ncclFloat, 0, second, on_second));
  check(cudaStreamSynchronize(on_second));
  std::_Exit(0);
}
