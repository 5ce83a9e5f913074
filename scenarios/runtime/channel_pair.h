// Two channels of all ranks, "first" and "second", that ranks may enter in different order: for
// scenarios about crossed orders.
#pragma once

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/event.h"

namespace gridlock {

class ChannelPair {
 public:
  //   Collective, Blocks  opens both; the ranks' report begins to count steps
  ChannelPair(Rank& of, cudaStream_t first_stream, cudaStream_t second_stream);
  // On a stream of its own each.
  explicit ChannelPair(Rank& of) : ChannelPair(of, open_stream(), open_stream()) {}

  // Sums rank + step, labelled "first/all_reduce" and "second/all_reduce".
  //   Collective
  //   Blocks  no
  void reduce_first(int step) const;
  void reduce_second(int step) const;

  // Sums on both, and calls `between` between the two with the channel that came first.
  template <typename Between>
  void reduce_both(int step, bool second_one_first, Between between) const {
    second_one_first ? reduce_second(step) : reduce_first(step);
    between(second_one_first ? second : first);
    second_one_first ? reduce_first(step) : reduce_second(step);
  }

  // What follows on the other channel's stream begins when all that is in `earlier`'s has ended:
  // one order of the two on every GPU, as NCCL's guide wants it.
  //   Blocks  no
  void chain(const Channel& earlier) const;

  // The end of a step: reads both sums, and checks them.
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

// Where ranks wait that have entered one of the two; for the slot see in_step. The host may wait in
// another `operation`.
inline Place first_at(int slot, Operation operation = Operation::all_reduce) {
  return {"first/all_reduce", operation, "first", slot, "all_reduce"};
}
inline Place second_at(int slot, Operation operation = Operation::all_reduce) {
  return {"second/all_reduce", operation, "second", slot, "all_reduce"};
}

}  // namespace gridlock
