// How programs use communicators whose calls return at once.
#pragma once

#include <atomic>

#include "tests/adversarial/setup/job.h"

// A call that may go on by itself.
inline void begin(ncclResult_t result) {
  if (result != ncclInProgress) check(result);
}

// Until the last call on the communicator is done.
inline void await(ncclComm_t communicator) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    check(ncclCommGetAsyncError(communicator, &state));
    pause_ms(1);
  }
  check(state);
}

// Chooses this rank's device. Returns a communicator of all ranks.
inline ncclComm_t join_without_blocking(const ncclUniqueId& id) {
  check(cudaSetDevice(rank()));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t world = nullptr;
  begin(ncclCommInitRankConfig(&world, ranks(), id, rank(), &config));
  await(world);
  return world;
}
inline ncclComm_t join_without_blocking() {
  return join_without_blocking(exchange_id(rank(), ranks()));
}

// What NCCL will write to `handle`, which the program looks at.
inline ncclComm_t when_there(ncclComm_t& handle) {
  while (std::atomic_ref(handle).load() == nullptr) pause_ms(1);
  return handle;
}
