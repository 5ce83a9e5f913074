// A group of NCCL calls: nothing reaches a stream before the outermost ncclGroupEnd, and then it is
// one unit. So all operations of a group on one stream share a position, and get it then.
#pragma once

#include <nccl.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/nccl/launch.h"

namespace gridlock::recorder {

class Group {
 public:
  bool is_open() const { return depth_ > 0; }
  void start() { ++depth_; }
  // Whether this was the outermost end.
  bool end() { return depth_ > 0 && --depth_ == 0; }

  // Announces an operation of the group; its index. `captured`: its stream is.
  std::uint64_t add(record::OperationEntry& entry, bool captured);
  // The call that made the operation failed.
  void forget(std::uint64_t index);
  // The first thing that the host itself may wait for at the end.
  void note_wait(const Wait& wait);
  // A communicator that exists only when the group has ended.
  void note_opening(std::uint32_t communicator, ncclComm_t* where, bool named);

  // The vendor is about to be told that the group has ended.
  void send_off();
  const Wait& wait() const { return wait_; }
  // After it was sent off, with what NCCL said. The group is empty again.
  void finish(ncclResult_t result);
  // The same after ncclGroupSimulateEnd, which sends nothing off.
  void finish_simulated();
  // Its thread has ended.
  void abandon();

 private:
  // What becomes of the operations.
  void settle(ncclResult_t result);

  int depth_ = 0;
  bool ends_seen_ = false;  // whether the thread's end will be told
  std::uint64_t operations_ = 0;
  Batch batch_;
  Wait wait_;
  Bits<record::kCommunicators> openings_;
  // Where the batch has the communicator: its first operation, counted from the batch's.
  std::uint32_t leaders_[record::kCommunicators] = {};
};

// Of the calling thread.
Group& this_group();

}  // namespace gridlock::recorder
