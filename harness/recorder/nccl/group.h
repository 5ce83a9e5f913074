// A group of NCCL calls: nothing reaches a stream before the outermost ncclGroupEnd, and then it is
// one unit. So all operations of a group on one stream share a position.
#pragma once

#include <nccl.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/streams.h"
#include "harness/recorder/core/thread.h"

namespace gridlock::recorder {

class Group {
 public:
  bool is_open() const { return depth_ > 0; }
  void start() { ++depth_; }
  // Whether this was the outermost end.
  bool end() { return depth_ > 0 && --depth_ == 0; }

  // Puts an operation of the group into the ring; its index. Where it has a stream that is not
  // `captured` it gets a position, of which there are only so many in a group.
  std::uint64_t add(record::OperationEntry& entry, bool captured);
  // The call that made the operation failed.
  void forget(std::uint64_t index);
  // The first thing that the host itself may wait for at the end.
  void note_wait(const Wait& wait);
  // A communicator that exists only when the group has ended.
  void note_opening(std::uint32_t communicator, ncclComm_t* where, bool named);

  // Hands the group's positions to the device, before the group is sent off.
  void launch();
  const Wait& wait() const { return wait_; }
  // After it was sent off, with what NCCL said. The group is empty again.
  void finish(ncclResult_t result);
  // The same after ncclGroupSimulateEnd, which sends nothing off.
  void finish_simulated();

 private:
  static constexpr std::uint32_t kGroupStreams = 32;
  static constexpr std::uint32_t kOpenings = 32;
  static constexpr std::uint32_t kGroupCommunicators = 32;
  struct OnStream {
    std::uint32_t stream;
    std::uint64_t position;
  };
  struct Leader {
    std::uint32_t communicator;
    std::uint64_t operation;  // index
  };
  struct Opened {
    std::uint32_t communicator;
    bool named;
    ncclComm_t* where;
  };
  std::uint64_t position_on(const Turn& turn, std::uint32_t stream);
  // OperationEntry::leader of the group's next operation on the communicator.
  std::uint64_t leader_on(std::uint32_t communicator) const;
  void note_operation(std::uint64_t index, std::uint32_t communicator);
  void move(const OnStream& from, std::uint64_t to) const;
  void take_back_all(std::uint8_t result) const;

  int depth_ = 0;
  std::uint32_t streams_ = 0;
  std::uint32_t openings_ = 0;
  std::uint32_t leaders_ = 0;
  std::uint32_t communicator_ = record::kNone;
  std::uint64_t first_operation_ = 0;
  std::uint64_t operations_ = 0;
  Wait wait_;
  OnStream on_[kGroupStreams] = {};
  Leader led_[kGroupCommunicators] = {};
  Opened opened_[kOpenings] = {};
};

// Of the calling thread.
Group& this_group();

}  // namespace gridlock::recorder
