// Communicators, and what this rank did with each.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/message_pairs.h"

namespace gridlock::recorder {

// Of one member.
struct Membership {
  int size = 0;
  int rank = 0;
};

// What a child is known by: its parent's id, and how many there were before it.
struct Child {
  std::uint64_t parent = 0;
  std::uint64_t number = 0;
};
Child next_child(std::uint32_t parent);

struct Opening {
  std::uint64_t id = 0;
  record::Call call = record::Call::comm_init;
  int size = 0;  // 0: not known before it is ready
  int rank = 0;
  const ncclConfig_t* config = nullptr;
  bool mpi = false;
  std::uint64_t count = 0;               // where its id is counted
  std::uint32_t parent = record::kNone;  // of a split or shrink
};

// Enters a communicator that is being made: on its parent's device, or the current one. kNone when
// the table is full.
std::uint32_t open_communicator(const Opening& opening);
// One of MPI's exists now.
void joined(std::uint32_t communicator, int size, int rank);
void rename(std::uint32_t communicator, const char* name);
// Of a split or shrink; kNone of others.
std::uint32_t parent_of(std::uint32_t communicator);
std::uint64_t communicator_id(std::uint32_t communicator);
// This rank's part in a communicator.
Membership membership(std::uint32_t communicator);
// The number of the collective of MPI that is being called.
std::uint64_t hand_out_slot(std::uint32_t communicator);
// From now on nobody knows which of its messages meets which (Communicator::uncertain).
void mark_uncertain(std::uint32_t communicator);
// It is on another device than the current one.
void place_on_device(std::uint32_t communicator, int device);
// Its handle is known from here on.
void name_communicator(std::uint32_t communicator, ncclComm_t handle);
// The call that made it returned: ready, still in progress, or failed.
void opened(std::uint32_t communicator, ncclComm_t handle, ncclResult_t result);
// ncclCommGetAsyncError said so about a communicator that was in progress.
void settled(std::uint32_t communicator, ncclComm_t handle, ncclResult_t result);

// A call on the whole communicator (split, finalize …) begins.
void note_call(std::uint32_t communicator, record::Call call);
// The split that was just noted was refused, so that nobody met anybody: the next one is the one
// that its members make.
void take_back_split(std::uint32_t communicator);
void note_failure(std::uint32_t communicator, record::Call call, std::uint8_t result);
// Where a call that may be refused finds a communicator, and puts it back to.
struct Standing {
  record::CommunicatorState state = record::CommunicatorState::initialising;
  record::Call last_call = record::Call::none;
};
Standing standing(std::uint32_t communicator);
void take_back_call(std::uint32_t communicator, const Standing& before);
void change_state(std::uint32_t communicator, record::CommunicatorState state);
// The handle is no longer valid.
void forget_communicator(ncclComm_t handle);

// A communicator that has no entry is in use: the box proves nothing until it is closed. Whether
// that is news.
bool note_lost(ncclComm_t handle);
// It is about to be closed, and its handle may be another's soon. Whether it was noted as lost;
// then the next function is to be called when it is gone.
bool forget_lost(ncclComm_t handle);
void is_gone_with_what_was_lost();

// kNone for a handle that was not seen made, or is closed.
std::uint32_t communicator_index(ncclComm_t handle);
std::uint32_t communicator_device(std::uint32_t communicator);
bool is_blocking(std::uint32_t communicator);

// The slot that an operation gets if nobody comes before it until it is launched, and whether it
// may have to connect first, so that the host itself may wait in it.
struct Slot {
  std::uint64_t number = 0;
  bool may_connect = false;
  CallCount* count = nullptr;  // null where it is not counted
};
Slot announce_slot(std::uint32_t communicator, record::Call call, int peer, std::uint64_t count);
CallCount* count_of(const record::OperationEntry& operation);
// The operation is launched: its slot.
std::uint64_t launch_slot(std::uint32_t communicator, record::Call call, CallCount* count);
// It failed, so there was none.
void drop_slot(const record::OperationEntry& failed, std::uint8_t result, bool may_connect);
// All that is announced on the communicator is launched, whatever it was.
void launch_all_announced(std::uint32_t communicator);

}  // namespace gridlock::recorder
