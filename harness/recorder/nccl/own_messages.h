// What a rank sends to itself in a group. NCCL drops it if it is received where it was sent from.
#pragma once

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/nccl/launch.h"

namespace gridlock::recorder {

struct OwnMessage {
  std::uint64_t index = 0;  // in the ring
  std::uint32_t communicator = record::kNone;
  record::Call call = record::Call::none;
  const void* buffer = nullptr;
};

class OwnMessages {
 public:
  [[gnu::noinline, gnu::cold]] void add(const OwnMessage& message);
  // The call of the operation with this index, the group's last one, failed.
  void forget(std::uint64_t index) {
    if (count_ > 0 && messages_[count_ - 1].index == index) [[unlikely]]
      --count_;
  }
  bool any() const { return count_ > 0; }
  void clear() { count_ = 0; }

  // Takes back those that NCCL drops, if nothing else is left of their group on the communicator:
  // its kernel is ordered with all streams of the group. Returns whether there were any.
  //   Source  NCCL 2.28, src/enqueue.cc (scheduleP2pTasksToPlan)
  [[gnu::noinline, gnu::cold]] bool drop_in_place(Tally* tallies);

 private:
  static constexpr std::uint32_t kMost = 64;  // what is beyond counts as work
  std::uint32_t count_ = 0;
  OwnMessage messages_[kMost];
};

}  // namespace gridlock::recorder
