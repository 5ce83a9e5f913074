// One rank in one slot of a communicator: what it published, and its waits for the other ranks.
#pragma once

#include <cstdint>

#include "sim/nccl/collectives/unit.h"

namespace sim::nccl {

class Slot {
 public:
  // Takes the communicator's next slot.
  //   Blocks   until all ranks are past the collective that used the slot's memory before
  Slot(Unit& unit, const Call& call);

  Communicator& communicator() const { return c_; }
  const Call& call() const { return call_; }
  int rank() const { return c_.rank(); }
  int ranks() const { return c_.ranks(); }
  bool is_root() const { return rank() == call_.root; }

  // Whether this collective's data travels inside the segment: the same answer on all ranks.
  bool fits_inline(std::size_t bytes_per_rank) const;
  // Blocks until the inline memory is free.
  void write_inline(const void* data, std::size_t bytes);
  const std::byte* inline_data(int rank) const { return c_.segment().inline_data(number_, rank); }

  // Publishes this call to the others. An offset is 0 if they have nothing to read there.
  void publish(std::uint64_t send, std::uint64_t receive);

  // "Must arrive": blocks until the ranks whose data this one needs have published, and for ever if
  // they called something else.
  void wait_for_all();
  void wait_for_root();
  // Blocks until all ranks are past the first half.
  void meet_half_way();
  // Marks this rank as past the slot: the others may reuse what it published.
  void finish();
  // Finishes, then blocks until all others have finished too (they read this rank's memory).
  void finish_together();
  // Blocks until all others have finished (a root whose message did not fit).
  void wait_for_others();
  // Blocks until the root has finished (a leaf whose message did not fit).
  void wait_until_root_finished();

  // What `rank` published as its input or output.
  const std::byte* send_of(int rank) const;
  const std::byte* receive_of(int rank) const;
  // The input of `rank`, with its factor, `offset` bytes in.
  Input input_of(int rank, std::size_t offset) const;
  Input inline_input_of(int rank) const;

  // Copies `bytes` to where they stay until all ranks are past this slot.
  //   Returns  the copy, or null if the message does not fit what is left of the buffer
  const void* stage(const void* data, std::size_t bytes);

 private:
  const Record& record(int rank) const { return c_.segment().record(number_, rank); }
  bool compatible(int rank) const;
  void require_compatible(int first, int last);

  Unit& unit_;
  Communicator& c_;
  const Call& call_;
  std::uint64_t number_;
  SlotCounters& counters_;
  std::uint64_t before_;           // arrivals, and departures, of the slot's earlier uses
  std::uint64_t half_way_before_;  // read before any rank can be half way through this use
};

}  // namespace sim::nccl
