// How ordinary programs begin: each rank takes its device, and all join one communicator.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdlib>

#include "exchange_id.h"

struct Joined {
  int rank = 0;
  int ranks = 0;
  ncclComm_t world = nullptr;
};

// Exits with 1 when the communicator cannot be made.
//   Collective, Blocks
inline Joined join_world() {
  Joined joined{.rank = number_from("RANK"), .ranks = number_from("WORLD_SIZE")};
  cudaSetDevice(number_from("LOCAL_RANK"));
  const ncclUniqueId id = exchange_id(joined.rank, joined.ranks);
  if (ncclCommInitRank(&joined.world, joined.ranks, id, joined.rank) != ncclSuccess) std::exit(1);
  return joined;
}
