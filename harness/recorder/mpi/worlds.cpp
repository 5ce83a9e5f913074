// The beginning and the end of MPI, and communicators made of others.
#include <cstring>

#include "harness/recorder/core/communicators.h"
#include "harness/recorder/core/modules.h"
#include "harness/recorder/mpi/communicators.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::CommunicatorState;
using gridlock::record::kNone;
using gridlock::record::Waits;

namespace {

void enter_gathering(std::uint32_t communicator, Call call, ThreadState& thread,
                     const void* frame) {
  register_thread(thread);
  if (communicator == kNone) return;
  enter_wait(thread,
             {.call = call, .waits = Waits::communicator_members, .communicator = communicator},
             frame);
}

template <class Forward>
int initialise(const void* frame, Forward call, bool is_there) {
  if (!is_there) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return call();
  const Inside inside(thread);
  refresh_modules();
  const std::uint32_t world = open_world();
  // Without the launcher's word it is not known whom it waits for.
  if (membership(world).size > 0) enter_gathering(world, Call::mpi_init, thread, frame);
  const int result = call();
  opened_world(world, result);
  leave_wait(thread);
  return result;
}

// A call of all members of `parent` that makes a communicator.
template <class Forward>
int make(Call kind, Word parent_handle, Word child, const void* frame, Forward call,
         bool is_there) {
  if (!is_there) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return call();
  const Inside inside(thread);
  const std::uint32_t parent = mpi_communicator(parent_handle);
  note_call(parent, kind);
  enter_gathering(parent, kind, thread, frame);
  const int result = call();
  const bool made = result == mpi::kSuccess && *as_pointer<std::uint32_t>(child) != mpi::kCommNull;
  if (made) {
    opened_child(parent, parent_handle, *as_pointer<std::uint32_t>(child), "");
  } else {
    skipped_child(parent);
  }
  if (result != mpi::kSuccess) note_failure();
  leave_wait(thread);
  return result;
}

}  // namespace

GRIDLOCK_INTERPOSE int MPI_Init(Word count, Word arguments) {
  static constinit Mpi<2> vendor("PMPI_Init");
  return initialise(
      __builtin_frame_address(0), [&] { return vendor.get()(count, arguments); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Init_thread(Word count, Word arguments, Word required, Word provided) {
  static constinit Mpi<4> vendor("PMPI_Init_thread");
  return initialise(
      __builtin_frame_address(0),
      [&] { return vendor.get()(count, arguments, required, provided); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Finalize() {
  static constinit Mpi<0> vendor("PMPI_Finalize");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return vendor.get()();
  const Inside inside(thread);
  const std::uint32_t world = mpi_communicator(mpi::kCommWorld);
  note_call(world, Call::mpi_finalize);
  change_state(world, CommunicatorState::closing);
  enter_gathering(world, Call::mpi_finalize, thread, __builtin_frame_address(0));
  const int result = vendor.get()();
  change_state(world, CommunicatorState::closed);
  leave_wait(thread);
  return result;
}

GRIDLOCK_INTERPOSE int MPI_Comm_dup(Word parent, Word child) {
  static constinit Mpi<2> vendor("PMPI_Comm_dup");
  return make(
      Call::mpi_comm_dup, parent, child, __builtin_frame_address(0),
      [&] { return vendor.get()(parent, child); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Comm_dup_with_info(Word parent, Word info, Word child) {
  static constinit Mpi<3> vendor("PMPI_Comm_dup_with_info");
  return make(
      Call::mpi_comm_dup, parent, child, __builtin_frame_address(0),
      [&] { return vendor.get()(parent, info, child); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Comm_split(Word parent, Word color, Word key, Word child) {
  static constinit Mpi<4> vendor("PMPI_Comm_split");
  return make(
      Call::mpi_comm_split, parent, child, __builtin_frame_address(0),
      [&] { return vendor.get()(parent, color, key, child); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Comm_split_type(Word parent, Word kind, Word key, Word info,
                                           Word child) {
  static constinit Mpi<5> vendor("PMPI_Comm_split_type");
  return make(
      Call::mpi_comm_split, parent, child, __builtin_frame_address(0),
      [&] { return vendor.get()(parent, kind, key, info, child); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Comm_create(Word parent, Word group, Word child) {
  static constinit Mpi<3> vendor("PMPI_Comm_create");
  return make(
      Call::mpi_comm_create, parent, child, __builtin_frame_address(0),
      [&] { return vendor.get()(parent, group, child); }, vendor.get() != nullptr);
}

// Its child is there only later, and is not recorded.
GRIDLOCK_INTERPOSE int MPI_Comm_idup(Word parent, Word child, Word request) {
  static constinit Mpi<3> vendor("PMPI_Comm_idup");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return vendor.get()(parent, child, request);
  const Inside inside(thread);
  skipped_child(mpi_communicator(parent));
  return vendor.get()(parent, child, request);
}

GRIDLOCK_INTERPOSE int MPI_Comm_free(Word communicator) {
  static constinit Mpi<1> vendor("PMPI_Comm_free");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return vendor.get()(communicator);
  const Inside inside(thread);
  const std::uint32_t handle = *as_pointer<std::uint32_t>(communicator);
  note_call(mpi_communicator(handle), Call::mpi_comm_free);
  close_communicator(handle);
  return vendor.get()(communicator);
}

GRIDLOCK_INTERPOSE int MPI_Comm_set_name(Word communicator, Word name) {
  static constinit Mpi<2> vendor("PMPI_Comm_set_name");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (records_mpi(thread)) rename(mpi_communicator(communicator), as_pointer<const char>(name));
  return vendor.get()(communicator, name);
}
