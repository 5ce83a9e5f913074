// A communicator, the stream of its collectives, and numbers whose sums are exact: for scenarios
// about the order of plain NCCL calls. Two channels stand for the gradients and for whatever else a
// job averages.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "scenarios/expectation.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

struct Channel {
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  Buffer<float> data;
  PinnedBuffer<float> host;
};

// The scenario's first slot: opening a channel makes this many collectives on its communicator.
constexpr int kFirstSlot = 1;
constexpr int kChannelCount = 256;  // floats

// Opens a channel on `communicator`. A first all-reduce makes the connections, because with lazy
// connections that call makes the host wait.
//   Collective, Blocks  until all members are there
Channel open_channel(ncclComm_t communicator, cudaStream_t stream);

// Opens a channel of all ranks. Verdicts call it `name`.
//   Collective, Blocks  until all ranks are there
Channel open_channel(Rank& rank, const char* name, cudaStream_t stream);
inline Channel open_channel(Rank& rank, const char* name) {
  return open_channel(rank, name, open_stream());
}

// A communicator of those members of `parent` that give the same color, in their order. Null for
// NCCL_SPLIT_NOCOLOR.
//   Collective, Blocks  until all members of `parent` are there
ncclComm_t split_communicator(ncclComm_t parent, int color, const char* name);

// Sums `mine` over the members, in stream order.
//   Collective
//   Blocks  no
void all_reduce(const Channel& channel, const char* label, float mine);

// Reads the sum, or another of its numbers, as a training loop reads its loss.
//   Blocks  until the channel's stream is done
float read(Rank& rank, const Channel& channel, int which = 0);

// The result of all_reduce for `mine` = rank + step.
inline float sum_over_ranks(int ranks, int step) {
  const int twice = ranks * (ranks - 1) + 2 * ranks * step;
  return 0.5F * static_cast<float>(twice);
}

// Reads the result of all_reduce for `mine` = rank + step, and reports whether it is right.
//   Blocks  until the channel's stream is done
void check_sum(Rank& rank, const Channel& channel, int step);

// Steps that reduce on two channels of this rank in the given order, and check both sums.
//   Collective  of both channels' members
//   Blocks
void run_steps(Rank& rank, int steps, const Channel& first, const char* first_label,
               const Channel& second, const char* second_label);

// A step of training, reduced to its calls: an all-reduce of "gradients", and check_sum.
//   Collective, Blocks
void train_step(Rank& rank, const Channel& channel, int step);

// The slot of a channel's collective in a step with one collective, or with two.
constexpr int in_step(int step) { return kFirstSlot + step; }
constexpr int first_in_step(int step) { return kFirstSlot + 2 * step; }
constexpr int second_in_step(int step) { return kFirstSlot + 2 * step + 1; }

// The place of ranks that have called all_reduce and wait.
inline Place reduction_at(std::string_view label, int slot,
                          std::string_view communicator = "world") {
  return {label, Operation::all_reduce, communicator, slot, "all_reduce"};
}

}  // namespace gridlock
