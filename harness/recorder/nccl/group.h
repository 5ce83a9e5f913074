// A group of NCCL calls. Nothing reaches a stream before the outermost ncclGroupEnd; then the group
// is one unit. So all operations of a group on one stream share a position, which they get at that
// end.
#pragma once

#include <nccl.h>

#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/nccl/launch.h"
#include "harness/recorder/nccl/own_messages.h"

namespace gridlock::recorder {

// A call that ends the use of a communicator.
struct Closing {
  ncclComm_t handle = nullptr;
  bool frees = false;  // the handle too
  Standing before;
  record::CommunicatorState after = record::CommunicatorState::closed;
};
// NCCL has done so.
void closed(std::uint32_t communicator, const Closing& closing);

struct Begun;

class Group {
 public:
  bool is_open() const { return depth_ > 0; }
  void start();
  // Whether this was the outermost end.
  bool end() { return depth_ > 0 && --depth_ == 0; }

  // Announces an operation of the group and returns its index. `captured`: its stream is captured.
  std::uint64_t add(record::OperationEntry& entry, bool captured);
  // The operation is a message of this rank to itself.
  void note_own_message(const OwnMessage& message) { own_messages_.add(message); }
  // The call that made the operation failed.
  void forget(const Begun& begun);
  // Notes what the host itself may wait for at the end; only the first wait is kept.
  void note_wait(const Wait& wait);
  // Notes a communicator that exists only after the group has ended.
  void note_opening(std::uint32_t communicator, ncclComm_t* where, bool named);
  // Notes a split of `parent`, which fails with the group.
  void note_split(std::uint32_t parent);
  // Notes a communicator that is closed when the group ends.
  void note_closing(std::uint32_t communicator, const Closing& closing);
  // NCCL has refused a call, and so will refuse the whole group. Nothing, if no group is open.
  void note_refusal() { is_refused_ = is_open(); }

  // Call before the vendor's group end.
  void send_off();
  bool waits() const { return wait_.waits != record::Waits::nothing && !is_refused_; }
  // Whether it puts anything on a stream before its end returns.
  bool launches() const {
    return operations_ > 0 && !is_refused_ && is_blocking(batch_.communicator);
  }
  const Wait& wait() const { return wait_; }
  std::uint32_t device() const { return communicator_device(batch_.communicator); }
  std::int64_t time_ns() const { return time_ns_; }
  // Call after the vendor's group end, with its result. The group is then empty.
  void finish(ncclResult_t result);
  // The same after ncclGroupSimulateEnd, which launches nothing unless it returns ncclInProgress.
  //   Source  NCCL 2.28, src/group.cc (groupLaunchNonBlocking passes no simInfo)
  void finish_simulated(ncclResult_t result);
  // Its thread has ended.
  void abandon();

 private:
  // Launches or drops the operations.
  void settle(ncclResult_t result);
  // Takes the splits back if NCCL refused the group before any members met.
  void settle_splits();
  void settle_closings(ncclResult_t result);
  void settle_openings(ncclResult_t result);

  int depth_ = 0;
  bool ends_seen_ = false;  // whether abandon() will run at the thread's end
  std::uint64_t operations_ = 0;
  Batch batch_;
  std::int64_t time_ns_ = 0;  // of the last operation
  Wait wait_;
  bool is_refused_ = false;
  OwnMessages own_messages_;
  Bits<record::kCommunicators> openings_;
  Bits<record::kCommunicators> closings_;
  std::uint16_t splits_[record::kCommunicators] = {};  // by parent
  bool has_split_ = false;
  // For communicators in the batch: the first operation, counted from the batch's first.
  std::uint32_t leaders_[record::kCommunicators] = {};
  Tally tallies_[record::kCommunicators] = {};
};

// Of the calling thread.
Group& this_group();

}  // namespace gridlock::recorder
