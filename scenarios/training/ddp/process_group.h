// A communicator and the stream of its collectives, tied to the compute stream by events in both
// directions, as in PyTorch's process group. Ordering the streams never makes the host wait.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdint>

#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/event.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

class ProcessGroup {
 public:
  //   Collective, Blocks  opens a communicator
  ProcessGroup(Rank& rank, const char* name);

  ncclComm_t communicator() const { return communicator_; }
  cudaStream_t stream() const { return stream_; }
  Rank& rank() const { return rank_; }
  int size() const { return rank_.world_size(); }

  // All work enqueued on the compute stream so far runs before later work on `stream()`.
  //   Blocks  no
  void after_compute();
  // All work enqueued on `stream()` so far runs before later work on the compute stream.
  //   Blocks  no
  void compute_waits();

  //   Collective, Blocks
  void close() { close_communicator(communicator_); }

  // Reduces one value per rank to one value, which each rank's host reads. The caller's innermost
  // label says what the value is for.
  //   Collective, Blocks  until all ranks have called it
  std::int32_t reduce_on_host(std::int32_t mine, ncclRedOp_t operation);

 private:
  Rank& rank_;
  ncclComm_t communicator_;
  cudaStream_t stream_;
  Event before_, behind_;
  Buffer<std::int32_t> device_value_;
  PinnedBuffer<std::int32_t> host_value_;
};

}  // namespace gridlock
