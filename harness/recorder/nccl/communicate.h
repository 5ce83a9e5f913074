// What all collectives and messages share: record, forward, mark the end.
#pragma once

#include <nccl.h>

#include <cstdint>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/operations.h"
#include "harness/recorder/nccl/group.h"

namespace gridlock::recorder {

struct Communication {
  record::Call call = record::Call::none;
  const void* frame = nullptr;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  std::uint64_t count = 0;
  ncclDataType_t datatype = ncclInt8;
  ncclRedOp_t reduction = ncclSum;
  int peer = -1;                 // or root
  bool in_place = false;         // what is sent lies where the result goes
  const void* buffer = nullptr;  // of a message
};

struct Begun {
  Placed placed;  // for a call in a group: only its index
  std::uint32_t communicator = record::kNone;
  record::Call call = record::Call::none;
  CallCount* count = nullptr;
  bool waiting = false;
  bool launching = false;
  bool may_connect = false;
  bool in_group = false;
  bool captured = false;
  ncclComm_t lost = nullptr;  // the communicator, if this call first finds it lost
};

// Each of these two is flattened into one piece of code; code that few calls need is kept apart
// from it, here as in the whole recorder ([[gnu::cold]]). A program's threads share a core with
// much else, so nearly every call must fetch its code again, and that is most of its cost.
// ([[gnu::noinline]] is needed too, because flatten would inline cold code.)
[[gnu::flatten]] Begun begin(const Communication& what, ThreadState& thread);
// A single call is launched when it returns, a call in a group with its group. A failed call has
// put nothing on its stream.
[[gnu::flatten]] void end(const Begun& begun, ThreadState& thread, ncclResult_t result);

inline bool is_error(ncclResult_t result) {
  return result != ncclSuccess && result != ncclInProgress;
}
// Whether NCCL refused the call before it contacted the other members.
inline bool is_refused(ncclResult_t result) {
  return result == ncclInvalidArgument || result == ncclInvalidUsage;
}
// The operation with this index came to nothing. Returns false if it is no longer in the ring; its
// communicator then still counts it as announced.
[[gnu::noinline, gnu::cold]] bool take_back(std::uint64_t index, std::uint8_t result,
                                            bool may_connect = false);

// The operation with this index went into a graph, so its communicator gets the slot back. Returns
// false if it did not: CUDA would not tell, and NCCL has launched it all the same. `group` is the
// index of the first call of its group.
[[gnu::noinline, gnu::cold]] bool go_into_graph(std::uint64_t index, std::uint64_t group);

// `function` is null if the installed NCCL is too old to have it.
template <class Function, class... Arguments>
ncclResult_t communicate(const Communication& what, Function* function, Arguments... arguments) {
  if (function == nullptr) return ncclInvalidUsage;
  ThreadState& thread = this_thread();
  if (!records(thread)) return function(arguments...);
  const Inside inside(thread);
  // NCCL drops an empty collective: it takes no slot, and no rank waits for it.
  if (what.count == 0 && record::is_collective(what.call)) [[unlikely]] {
    const ncclResult_t result = function(arguments...);
    if (is_error(result)) this_group().note_refusal();
    return result;
  }
  const Begun begun = begin(what, thread);
  const ncclResult_t result = function(arguments...);
  end(begun, thread, result);
  return result;
}

}  // namespace gridlock::recorder
