// Calls that make communicators, and wait for all members.
#include "harness/recorder/core/communicators/communicators.h"

#include <nccl.h>

#include "harness/recorder/core/communicators/ids.h"
#include "harness/recorder/core/process/modules.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/nccl/awaited_handles.h"
#include "harness/recorder/nccl/communicate.h"
#include "harness/recorder/nccl/members.h"
#include "harness/recorder/nccl/names.h"

namespace gridlock::recorder {
namespace {

using record::Call;
using record::kNone;

// NCCL refuses any other value.
bool blocks(const ncclConfig_t* config) {
  return config == nullptr || config->blocking == 1 || config->blocking == NCCL_CONFIG_UNDEF_INT;
}

// A call that makes `child`, whose handle it puts at `where`.
struct Making {
  Call call = Call::none;
  std::uint32_t child = kNone;
  std::uint32_t waits_on = kNone;  // the communicator whose members must call
  ncclComm_t* where = nullptr;
  bool may_wait = false;
  const void* frame = nullptr;
};

template <class Forward>
ncclResult_t make(ThreadState& thread, const Making& making, Forward forward) {
  const auto& [call, child, waits_on, where, may_wait, frame] = making;
  forget_place(where);
  const ncclComm_t before = *where;
  const ncclResult_t result = wait_for_members(thread, call, waits_on, may_wait, frame, forward);
  if (this_group().is_open() && result == ncclSuccess) {
    const bool named = *where != before && *where != nullptr;
    if (named) name_communicator(child, *where);
    this_group().note_opening(child, where, named);
  } else {
    if (is_error(result)) this_group().note_refusal();
    opened_at(child, where, result);
  }
  return result;
}

void prepare() {
  prepare_progress();
  refresh_modules();
}

// Like make(), for a child of `parent`.
template <class Forward>
ncclResult_t make_child(ThreadState& thread, std::uint32_t parent, const Making& making,
                        Forward forward) {
  const ncclResult_t result = make(thread, making, forward);
  if (is_refused(result)) {
    if (making.call == Call::comm_split) take_back_split(parent);
    note_failure(parent, making.call, static_cast<std::uint8_t>(result));
  } else if (making.call == Call::comm_split && this_group().is_open()) {
    this_group().note_split(parent);
  }
  return result;
}

}  // namespace
}  // namespace gridlock::recorder

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::kNone;

namespace {

// Forwards a call that is not recorded. If NCCL refuses it, it refuses the open group too.
template <class Forward>
ncclResult_t forward_unrecorded(Forward forward) {
  const ncclResult_t result = forward();
  if (is_error(result)) this_group().note_refusal();
  return result;
}

template <class Forward>
ncclResult_t init(ncclComm_t* where, int size, const ncclUniqueId* ids, int id_count, int rank,
                  const ncclConfig_t* config, const void* frame, Forward forward) {
  take_over_recording();
  ThreadState& thread = this_thread();
  if (where == nullptr || ids == nullptr || !records(thread)) return forward_unrecorded(forward);
  const Inside inside(thread);
  prepare();
  // NCCL reads no id if there are more of them than ranks.
  const bool is_refused = id_count < 1 || id_count > size || rank < 0 || rank >= size;
  const CountedId id = id_of_init(ids, is_refused ? 0 : id_count, size, rank);
  const std::uint32_t made = open_communicator({.id = id.id,
                                                .call = Call::comm_init,
                                                .size = size,
                                                .rank = rank,
                                                .config = config,
                                                .count = id.count,
                                                .uncertain = id.uncertain});
  return make(thread,
              {.call = Call::comm_init,
               .child = made,
               .waits_on = made,
               .where = where,
               .may_wait = blocks(config) && !is_refused,
               .frame = frame},
              forward);
}

ncclResult_t init_all(ncclComm_t* where, int size, const int* devices,
                      decltype(pncclCommInitAll)* vendor) {
  take_over_recording();
  ThreadState& thread = this_thread();
  // All members are in this process, so it waits for no other.
  if (where == nullptr || !records(thread)) {
    return vendor(where, size, devices);
  }
  const Inside inside(thread);
  prepare();
  const ncclResult_t result = vendor(where, size, devices);
  if (result != ncclSuccess) return result;
  const std::uint64_t id = id_of_init_all();
  for (int rank = 0; rank < size; ++rank) {
    const std::uint32_t made =
        open_communicator({.id = id, .call = Call::comm_init, .size = size, .rank = rank});
    place_on_device(made, devices == nullptr ? rank : devices[rank]);
    opened(made, where[rank], result);
  }
  return result;
}

ncclResult_t split(ncclComm_t parent, int color, int key, ncclComm_t* where, ncclConfig_t* config,
                   const void* frame, decltype(pncclCommSplit)* vendor) {
  ThreadState& thread = this_thread();
  const auto forward = [&] { return vendor(parent, color, key, where, config); };
  if (where == nullptr || !records(thread)) return forward_unrecorded(forward);
  const Inside inside(thread);
  prepare();
  const std::uint32_t from = index_of(parent);
  std::uint32_t made = kNone;
  if (from != kNone) {
    note_call(from, Call::comm_split);
    const std::uint64_t id = id_of_split(from, color);
    if (color != NCCL_SPLIT_NOCOLOR) {
      made = open_communicator(
          {.id = id, .call = Call::comm_split, .rank = -1, .config = config, .parent = from});
    }
  }
  return make_child(thread, from,
                    {.call = Call::comm_split,
                     .child = made,
                     .waits_on = from,
                     .where = where,
                     .may_wait = is_blocking(from) && (color >= 0 || color == NCCL_SPLIT_NOCOLOR),
                     .frame = frame},
                    forward);
}

ncclResult_t shrink(ncclComm_t parent, int* excluded, int count, ncclComm_t* where,
                    ncclConfig_t* config, int flags, const void* frame,
                    decltype(pncclCommShrink)* vendor) {
  ThreadState& thread = this_thread();
  const auto forward = [&] { return vendor(parent, excluded, count, where, config, flags); };
  if (where == nullptr || excluded == nullptr || !records(thread)) {
    return forward_unrecorded(forward);
  }
  const Inside inside(thread);
  prepare();
  const std::uint32_t from = index_of(parent);
  std::uint32_t made = kNone;
  if (from != kNone) {
    // Not counted on the parent, because ranks that are left out do not call.
    const CountedId id = id_of_shrink(from, excluded, count);
    const auto child = after_shrink(from, excluded, count);
    made = open_communicator({.id = id.id,
                              .call = Call::comm_shrink,
                              .size = child.size,
                              .rank = child.rank,
                              .config = config,
                              .count = id.count,
                              .parent = from});
  }
  // Ranks that are left out do not call, so the wait is for the child's members.
  return make_child(thread, from,
                    {.call = Call::comm_shrink,
                     .child = made,
                     .waits_on = made,
                     .where = where,
                     .may_wait = is_blocking(from),
                     .frame = frame},
                    forward);
}

}  // namespace

GRIDLOCK_NCCL_NAMES(ncclCommInitRank, (ncclComm_t * where, int size, ncclUniqueId id, int rank),
                    (where, size, id, rank), init(where, size, &id, 1, rank, nullptr, frame, [&] {
                      return vendor(where, size, id, rank);
                    }));

GRIDLOCK_NCCL_NAMES(ncclCommInitRankConfig,
                    (ncclComm_t * where, int size, ncclUniqueId id, int rank, ncclConfig_t* config),
                    (where, size, id, rank, config),
                    init(where, size, &id, 1, rank, config, frame,
                         [&] { return vendor(where, size, id, rank, config); }));

GRIDLOCK_NCCL_NAMES(ncclCommInitRankScalable,
                    (ncclComm_t * where, int size, int rank, int id_count, ncclUniqueId* ids,
                     ncclConfig_t* config),
                    (where, size, rank, id_count, ids, config),
                    init(where, size, ids, id_count, rank, config, frame,
                         [&] { return vendor(where, size, rank, id_count, ids, config); }));

GRIDLOCK_NCCL_NAMES(ncclCommInitAll, (ncclComm_t * where, int size, const int* devices),
                    (where, size, devices), init_all(where, size, devices, vendor));

GRIDLOCK_NCCL_NAMES(
    ncclCommSplit, (ncclComm_t parent, int color, int key, ncclComm_t* where, ncclConfig_t* config),
    (parent, color, key, where, config), split(parent, color, key, where, config, frame, vendor));

GRIDLOCK_NCCL_NAMES(ncclCommShrink,
                    (ncclComm_t parent, int* excluded, int count, ncclComm_t* where,
                     ncclConfig_t* config, int flags),
                    (parent, excluded, count, where, config, flags),
                    shrink(parent, excluded, count, where, config, flags, frame, vendor));
