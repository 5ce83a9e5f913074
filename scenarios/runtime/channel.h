// A communicator, the stream that its collectives run on, and numbers whose sums are exact: for
// scenarios about the order of plain NCCL calls. Two channels stand for the gradients and for
// whatever else a job averages.
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

// Collectives that opening a channel makes on its communicator: the first slot of the scenario.
constexpr int kFirstSlot = 1;
constexpr int kChannelCount = 256;  // floats

// A channel on `communicator`. A first all-reduce makes its connections: with lazy connections that
// call waits on the host, and not on the stream.
//   Collective, Blocks  until all members are there
Channel open_channel(ncclComm_t communicator, cudaStream_t stream);

// A channel of all ranks; `name` is what verdicts call it.
//   Collective, Blocks  until all ranks are there
Channel open_channel(Rank& rank, const char* name, cudaStream_t stream);
inline Channel open_channel(Rank& rank, const char* name) {
  return open_channel(rank, name, open_stream());
}

// The members of `parent` that give the same colour, in their order; null for NCCL_SPLIT_NOCOLOR.
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

// The slot of a channel's collective in a step: the only one of each step, or one of two.
constexpr int in_step(int step) { return kFirstSlot + step; }
constexpr int first_in_step(int step) { return kFirstSlot + 2 * step; }
constexpr int second_in_step(int step) { return kFirstSlot + 2 * step + 1; }

// Where ranks wait that called all_reduce.
inline Place reduction_at(std::string_view label, int slot,
                          std::string_view communicator = "world") {
  return {label, Operation::all_reduce, communicator, slot, "all_reduce"};
}

}  // namespace gridlock
