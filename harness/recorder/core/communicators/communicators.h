// Communicators, and this rank's calls on each.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstdint>

#include "harness/record/format.h"
#include "harness/recorder/core/communicators/message_pairs.h"

namespace gridlock::recorder {

// One member's place.
struct Membership {
  int size = 0;
  int rank = 0;
};

// What identifies a child: its parent's id, and how many children came before it.
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
  std::uint64_t count = 0;               // key under which its id is counted
  std::uint32_t parent = record::kNone;  // of a split or shrink
  bool uncertain = false;                // other members may have another id for it
};

// Adds a communicator that is being made, on its parent's device or the current one. kNone if the
// table is full.
std::uint32_t open_communicator(const Opening& opening);
// An MPI communicator now exists.
void joined(std::uint32_t communicator, int size, int rank);
void rename(std::uint32_t communicator, const char* name);
// The parent of a split or shrink; kNone for others.
std::uint32_t parent_of(std::uint32_t communicator);
std::uint64_t communicator_id(std::uint32_t communicator);
// This rank's part in a communicator.
Membership membership(std::uint32_t communicator);
// The same in what a shrink without these ranks makes of `parent`.
Membership after_shrink(std::uint32_t parent, const int* excluded, int count);
// The slot of the MPI collective that is being called.
std::uint64_t hand_out_slot(std::uint32_t communicator);
// This rank aborts it, perhaps before it is ready: then the next init gets its id.
void give_up(std::uint32_t communicator);
// From now on nothing tells which of its messages meets which (Communicator::uncertain).
void mark_uncertain(std::uint32_t communicator);
// Sets its device, which is not the current one.
void place_on_device(std::uint32_t communicator, int device);
// Its handle is now known.
void name_communicator(std::uint32_t communicator, ncclComm_t handle);
// The call that made it returned: ready, still in progress, or failed.
void opened(std::uint32_t communicator, ncclComm_t handle, ncclResult_t result);
// ncclCommGetAsyncError gave this result for a communicator that was in progress.
void settled(std::uint32_t communicator, ncclComm_t handle, ncclResult_t result);

// A call on the whole communicator (split, finalize …) begins.
void note_call(std::uint32_t communicator, record::Call call);
// The split that was just noted was refused before any members met, so the next split gets its
// number.
void take_back_split(std::uint32_t communicator);
void note_failure(std::uint32_t communicator, record::Call call, std::uint8_t result);
// A communicator's state before a call that may be refused, to be restored then.
struct Standing {
  record::CommunicatorState state = record::CommunicatorState::initialising;
  record::Call last_call = record::Call::none;
};
Standing standing(std::uint32_t communicator);
void take_back_call(std::uint32_t communicator, const Standing& before);
void change_state(std::uint32_t communicator, record::CommunicatorState state);
// The handle is no longer valid.
void forget_communicator(ncclComm_t handle);
// It is no longer this communicator's, though perhaps another's already.
void forget_communicator(ncclComm_t handle, std::uint32_t communicator);
ncclComm_t communicator_handle(std::uint32_t communicator);

// A communicator without an entry is in use: the box proves nothing until it is closed. Returns
// whether it was not noted before.
bool note_lost(ncclComm_t handle);
bool is_lost(ncclComm_t handle);
// The communicator is about to be closed, and its handle may soon be another's. Returns whether it
// was noted as lost; if so, call the next function when it is gone.
bool forget_lost(ncclComm_t handle);
void is_gone_with_what_was_lost();

// kNone for a handle that was not seen being made, or is closed.
std::uint32_t communicator_index(ncclComm_t handle);
std::uint32_t communicator_device(std::uint32_t communicator);
bool is_blocking(std::uint32_t communicator);

// The slot that an operation gets if no other is launched before it, and whether the operation may
// have to connect first, so that the host itself may wait in it.
struct Slot {
  std::uint64_t number = 0;
  bool may_connect = false;
  CallCount* count = nullptr;  // null if it is not counted
};
Slot announce_slot(std::uint32_t communicator, record::Call call, int peer, std::uint64_t count);
CallCount* count_of(const record::OperationEntry& operation);
// The operation is launched. Returns its slot.
std::uint64_t launch_slot(std::uint32_t communicator, record::Call call, CallCount* count);
// The operation failed, so it gives its slot back.
void drop_slot(const record::OperationEntry& failed, std::uint8_t result, bool may_connect);
// This many announced collectives are no longer in the ring. They are launched, or came to nothing.
void settle_lost_collectives(std::uint32_t communicator, std::uint32_t lost, bool launched);

}  // namespace gridlock::recorder
