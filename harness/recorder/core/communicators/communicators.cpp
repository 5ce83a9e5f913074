// Communicator entries: who is in the table, and in which state.
#include "harness/recorder/core/communicators/communicators.h"

#include <atomic>

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/communicators/ids.h"
#include "harness/recorder/core/communicators/message_pairs.h"
#include "harness/recorder/core/communicators/table.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/core/streams/streams.h"

namespace gridlock::recorder {
namespace {

using record::Call;
using record::CommunicatorState;
using record::kCommunicators;
using record::kNone;

std::uint32_t g_count = 0;
std::uint64_t g_serial = 0;
std::atomic_flag g_adding = ATOMIC_FLAG_INIT;
FixedMap<1024> g_lost;                      // handles of communicators without an entry
thread_local bool t_found_no_room = false;  // for the one this thread is making

GRIDLOCK_LOOKUP Nccl<ncclResult_t(ncclComm_t, int*)> g_count_of("pncclCommCount");
GRIDLOCK_LOOKUP Nccl<ncclResult_t(ncclComm_t, int*)> g_rank_of("pncclCommUserRank");
GRIDLOCK_LOOKUP Nccl<ncclResult_t(int*)> g_version("pncclGetVersion");
GRIDLOCK_LOOKUP Nccl<std::size_t()> g_buffer_bytes("simBufferBytes");  // NCCL has none

bool is_over(CommunicatorState state) {
  return state == CommunicatorState::closed || state == CommunicatorState::aborted;
}

std::uint32_t& lost_communicators() { return writer().box().header.lost_communicators; }

// The call that should have made it was refused, so it never existed.
void forget_entry(std::uint32_t index) {
  g_communicators[index].entry = {};
  g_communicators[index].entry.rank = -1;
  g_communicators[index].entry.state = CommunicatorState::closed;
  show(index);
}

// A failed init is tried again: removes what the earlier attempts left.
void forget_attempts(const Opening& opening) {
  for (std::uint32_t i = 0; i < g_count; ++i) {
    const record::CommunicatorEntry& entry = g_communicators[i].entry;
    const bool same = entry.id == opening.id && entry.rank == opening.rank;
    if (same && is_over(entry.state) && opening.call == Call::comm_init) forget_entry(i);
  }
}

std::uint32_t free_entry() {
  if (g_count < kCommunicators) return g_count++;
  for (std::uint32_t i = 0; i < kCommunicators; ++i) {
    // One that was revoked is still aborted by its handle, and an aborted one may have come back
    // from its init with a handle.
    if (is_over(g_communicators[i].entry.state) && g_communicators[i].handle == 0) return i;
  }
  return kNone;
}

void find_parameters() {
  if (g_buffer_bytes.get() != nullptr) {
    record::store_release(writer().box().header.buffer_bytes, g_buffer_bytes.get()());
  }
  std::int32_t& shown = writer().box().header.nccl_version;
  int version = 0;
  if (record::load_relaxed(shown) != 0 || g_version.get() == nullptr) return;
  if (g_version.get()(&version) == ncclSuccess) record::store_release(shown, version);
}

std::uint32_t device_of(const Opening& opening) {
  if (opening.mpi) return 0;
  return opening.parent == kNone ? current_device() : communicator_device(opening.parent);
}

}  // namespace

Communicator g_communicators[kCommunicators];

// Pairs stay as long as their communicator's entry, because other ranks may still wait for what was
// sent.
void reclaim_pairs() {
  const Hold hold(g_adding);
  for (std::uint32_t i = 0; i < g_count; ++i) {
    record::CommunicatorEntry& entry = g_communicators[i].entry;
    if (!is_over(entry.state) || entry.serial == 0) continue;
    const std::uint64_t serial = entry.serial;
    entry.serial = 0;
    show(i);
    remove_pairs(serial, entry.size);
  }
}

Child next_child(std::uint32_t parent) {
  Communicator& communicator = g_communicators[parent];
  return {.parent = communicator.entry.id, .number = communicator.children++};
}

namespace {

std::uint32_t add_entry(const Opening& opening, std::uint32_t device) {
  const Hold hold(g_adding);
  forget_attempts(opening);
  const std::uint32_t index = free_entry();
  if (index != kNone) {
    Communicator& communicator = g_communicators[index];
    communicator.count = opening.count;
    communicator.handle = 0;
    communicator.collectives = 0;
    communicator.children = 0;
    for (auto& sizes : communicator.connected) sizes = 0;
    record::CommunicatorEntry& entry = communicator.entry;
    const record::CommunicatorEntry before = entry;
    entry = {};
    entry.serial = ++g_serial;
    entry.id = opening.id;
    entry.first_operation = record::load_relaxed(writer().box().header.operations);
    entry.calls = 1;
    entry.size = opening.size;
    entry.rank = opening.rank;
    entry.device = device;
    entry.mpi = opening.mpi ? 1 : 0;
    entry.state = CommunicatorState::initialising;
    entry.last_call = opening.call;
    communicator.parent = opening.parent;
    // A child without a configuration inherits its parent's.
    communicator.blocking = opening.config == nullptr
                                ? opening.parent == kNone || is_blocking(opening.parent)
                                : opening.config->blocking != 0;
    // Configurations of older versions are shorter.
    if (opening.config != nullptr && opening.config->commName != nullptr &&
        opening.config->size >= offsetof(ncclConfig_t, commName) + sizeof(const char*)) {
      entry.name = record::Text<56>(opening.config->commName);
    }
    record::store_release(writer().box().communicators[index].next_slot, 0);
    record::store_release(writer().box().communicators[index].failure, 0);
    record::store_release(writer().box().communicators[index].uncertain, opening.uncertain ? 1 : 0);
    show(index);
    if (before.serial != 0) remove_pairs(before.serial, before.size);
  } else {
    t_found_no_room = true;
    __atomic_fetch_add(&lost_communicators(), 1, __ATOMIC_RELAXED);
  }
  return index;
}

}  // namespace

std::uint32_t open_communicator(const Opening& opening) {
  if (!opening.mpi) find_parameters();
  const std::uint32_t index = add_entry(opening, device_of(opening));
  if (index != kNone) no_graph_holds(index);
  return index;
}

void joined(std::uint32_t index, int size, int rank) {
  if (index == kNone) return;
  record::CommunicatorEntry& entry = g_communicators[index].entry;
  entry.size = size;
  entry.rank = rank;
  entry.state = CommunicatorState::ready;
  show(index);
}

void give_up(std::uint32_t index) {
  if (index == kNone) return;
  Communicator& communicator = g_communicators[index];
  if (communicator.entry.state != CommunicatorState::initialising || communicator.count == 0)
    return;
  take_back_id(communicator.count);
  doubt_later_ids();
}

void rename(std::uint32_t index, const char* name) {
  if (index == kNone || name == nullptr) return;
  g_communicators[index].entry.name = record::Text<56>(name);
  show(index);
}

std::uint64_t communicator_id(std::uint32_t index) {
  return index == kNone ? 0 : g_communicators[index].entry.id;
}

std::uint32_t parent_of(std::uint32_t index) {
  return index == kNone ? kNone : g_communicators[index].parent;
}

Membership membership(std::uint32_t index) {
  if (index == kNone) return {};
  const record::CommunicatorEntry& entry = g_communicators[index].entry;
  return {.size = entry.size, .rank = entry.rank};
}

Membership after_shrink(std::uint32_t parent, const int* excluded, int count) {
  const Membership own = membership(parent);
  Membership child{.size = own.size - count, .rank = own.rank};
  for (int i = 0; i < count; ++i) {
    if (excluded[i] < own.rank) --child.rank;
  }
  return child;
}

std::uint64_t hand_out_slot(std::uint32_t index) {
  // The box shows this before the operation is in the ring, as in launch_slot.
  return __atomic_fetch_add(&writer().box().communicators[index].next_slot, 1, __ATOMIC_RELEASE);
}

void mark_uncertain(std::uint32_t index) {
  if (index != kNone) record::store_release(writer().box().communicators[index].uncertain, 1);
}

void place_on_device(std::uint32_t communicator, int device) {
  if (communicator == kNone) return;
  g_communicators[communicator].entry.device = static_cast<std::uint32_t>(device);
  show(communicator);
}

bool note_lost(ncclComm_t handle) {
  if (g_lost.find(key_of(handle)) != nullptr) return false;
  g_lost.set(key_of(handle), 1);
  __atomic_fetch_add(&lost_communicators(), 1, __ATOMIC_RELAXED);
  return true;
}

bool is_lost(ncclComm_t handle) { return g_lost.find(key_of(handle)) != nullptr; }

bool forget_lost(ncclComm_t handle) {
  if (!is_lost(handle)) return false;
  g_lost.remove(key_of(handle));
  return true;
}

void is_gone_with_what_was_lost() {
  __atomic_fetch_sub(&lost_communicators(), 1, __ATOMIC_RELEASE);
}

void settled(std::uint32_t index, ncclComm_t handle, ncclResult_t result) {
  if (index == kNone || result == ncclInProgress) return;
  Communicator& communicator = g_communicators[index];
  if (communicator.entry.state != CommunicatorState::initialising) return;
  if (result != ncclSuccess && communicator.count != 0) {
    take_back_id(communicator.count);
    if (result != ncclInvalidArgument && result != ncclInvalidUsage) doubt_later_ids();
  }
  // A wrong argument is refused before the other members learn of the call. Any other error may be
  // one that the members found together (two ranks on one device), so this member has arrived.
  if (result == ncclInvalidArgument) return forget_entry(index);
  communicator.entry.state =
      result == ncclSuccess ? CommunicatorState::ready : CommunicatorState::aborted;
  if (result == ncclSuccess && communicator.entry.size == 0 && handle != nullptr &&
      g_count_of.get() != nullptr) {
    if (g_count_of.get()(handle, &communicator.entry.size) != ncclSuccess ||
        g_rank_of.get()(handle, &communicator.entry.rank) != ncclSuccess) {
      mark_uncertain(index);
    }
  }
  show(index);
  std::int64_t& initialised = writer().box().header.initialised_ns;
  if (result == ncclSuccess && record::load_relaxed(initialised) == 0) {
    record::store_release(initialised, now_ns());
  }
}

namespace {

// It counts as lost as long as it exists. One that a group makes has no handle yet, and stays lost.
void opened_without_room(ncclComm_t handle) {
  if (!t_found_no_room || handle == nullptr) return;
  t_found_no_room = false;
  g_lost.set(key_of(handle), 1);
}

}  // namespace

void opened(std::uint32_t index, ncclComm_t handle, ncclResult_t result) {
  if (index == kNone) return opened_without_room(handle);
  name_communicator(index, handle);
  // A non-blocking communicator reports through its async error when it is ready.
  const bool later = !is_blocking(index) && result == ncclSuccess;
  if (!later) settled(index, handle, result);
}

std::uint32_t communicator_device(std::uint32_t index) {
  return index == kNone ? current_device() : g_communicators[index].entry.device;
}

bool is_blocking(std::uint32_t index) { return index == kNone || g_communicators[index].blocking; }

}  // namespace gridlock::recorder
