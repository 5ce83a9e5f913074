// Two channels of all ranks, "first" and "second", which ranks may enter in different orders: for
// scenarios about crossed orders.
#pragma once

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/event.h"

namespace gridlock {

class ChannelPair {
 public:
  //   Collective, Blocks  opens both; the rank's report begins to count steps
  ChannelPair(Rank& of, cudaStream_t first_stream, cudaStream_t second_stream);
  // Each channel has its own stream.
  explicit ChannelPair(Rank& of) : ChannelPair(of, open_stream(), open_stream()) {}

  // Sums rank + step, labelled "first/all_reduce" and "second/all_reduce".
  //   Collective
  //   Blocks  no
  void reduce_first(int step) const;
  void reduce_second(int step) const;

  // Sums on both channels. Between the two, calls `between` with the channel that came first.
  template <typename Between>
  void reduce_both(int step, bool second_one_first, Between between) const {
    second_one_first ? reduce_second(step) : reduce_first(step);
    between(second_one_first ? second : first);
    second_one_first ? reduce_first(step) : reduce_second(step);
  }

  // Later work on the other channel's stream begins when all work on `earlier`'s has ended: one
  // order of the two on every GPU, as NCCL's guide requires.
  //   Blocks  no
  void chain(const Channel& earlier) const;

  // Ends a step: reads and checks both sums.
  //   Blocks  until both streams are done
  void finish(int step) const;

  //   Collective, Blocks
  void close() const;

  Rank& rank;
  const Channel first;
  const Channel second;

 private:
  Event behind_;
};

// The place of ranks that have entered one of the two channels and wait. For the slot, see in_step.
// The host may wait in another `operation`.
inline Place first_at(int slot, Operation operation = Operation::all_reduce) {
  return {"first/all_reduce", operation, "first", slot, "all_reduce"};
}
inline Place second_at(int slot, Operation operation = Operation::all_reduce) {
  return {"second/all_reduce", operation, "second", slot, "all_reduce"};
}

}  // namespace gridlock
