// Records MPI_Init, MPI_Finalize, and calls that make communicators from others.
#pragma once

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/process/modules.h"
#include "harness/recorder/mpi/arguments.h"
#include "harness/recorder/mpi/communicators.h"

namespace gridlock::recorder {

// The thread waits until all members of the communicator have arrived.
template <class Invocation>
void enter_gathering(const Invocation& invocation, std::uint32_t communicator) {
  register_thread(invocation.thread);
  if (communicator == record::kNone) return;
  enter_wait(invocation.thread,
             {.call = Invocation::call,
              .waits = record::Waits::communicator_members,
              .communicator = communicator},
             invocation.frame);
}

// Forwards a call that waits for the members of the communicator.
template <class Invocation>
int forward_gathering(const Invocation& invocation, std::uint32_t communicator) {
  using record::Call;
  constexpr bool kHasAttributes =
      Invocation::call == Call::mpi_comm_dup || Invocation::call == Call::mpi_finalize;
  if (kHasAttributes && has_callback(Callback::attribute)) [[unlikely]] {
    register_thread(invocation.thread);
  } else {
    enter_gathering(invocation, communicator);
  }
  return invocation.forward();
}

int makes_attributes(const auto& invocation) {
  if (get<Role::copies>(invocation) != 0 || get<Role::deletes>(invocation) != 0) {
    note_callback(Callback::attribute);
  }
  return invocation.forward();
}

int gives_function(const auto& invocation) {
  note_callback(Callback::other);
  return invocation.forward();
}

int initialises(const auto& invocation) {
  refresh_modules();
  const std::uint32_t world = open_world();
  // If the launcher does not tell the size, it is unknown which ranks it waits for.
  if (membership(world).size > 0) enter_gathering(invocation, world);
  const int result = invocation.forward();
  opened_world(world, result);
  leave_wait(invocation.thread);
  return result;
}

template <class Invocation>
int finalises(const Invocation& invocation) {
  const std::uint32_t world = mpi_communicator(mpi::kCommWorld);
  note_call(world, Invocation::call);
  // Their messages on it still count.
  if (!has_callback(Callback::attribute)) change_state(world, record::CommunicatorState::closing);
  const int result = forward_gathering(invocation, world);
  change_state(world, record::CommunicatorState::closed);
  leave_wait(invocation.thread);
  return result;
}

// All members of a communicator make a new one from it.
template <class Invocation>
int makes(const Invocation& invocation) {
  const std::uint32_t parent = mpi_communicator(get<Role::communicator>(invocation));
  note_call(parent, Invocation::call);
  const int result = forward_gathering(invocation, parent);
  const auto* child = as_pointer<std::uint32_t>(get<Role::child>(invocation));
  if (result == mpi::kSuccess && *child != mpi::kCommNull) {
    opened_child(parent, get<Role::communicator>(invocation), *child, "");
  } else {
    skipped_child(parent);
  }
  if (result != mpi::kSuccess) note_failure();
  leave_wait(invocation.thread);
  return result;
}

// The child does not exist until later, and is not recorded.
int makes_later(const auto& invocation) {
  skipped_child(mpi_communicator(get<Role::communicator>(invocation)));
  const auto* child = as_pointer<std::uint32_t>(get<Role::child>(invocation));
  const std::uint32_t before = *child;
  const int result = invocation.forward();
  if (result == mpi::kSuccess && *child != before) forget_handle(*child);
  return result;
}

// The child may have the handle of a communicator that was freed unseen, in a callback for example.
int makes_unrecorded(const auto& invocation) {
  const int result = invocation.forward();
  if (result == mpi::kSuccess) {
    forget_handle(*as_pointer<std::uint32_t>(get<Role::child>(invocation)));
  }
  return result;
}

// MPI may refuse the call, for the world for example.
template <class Invocation>
int frees_communicator(const Invocation& invocation) {
  const std::uint32_t handle = *as_pointer<std::uint32_t>(get<Role::freed>(invocation));
  const std::uint32_t communicator = mpi_communicator(handle);
  const int result = invocation.forward();
  if (result == mpi::kSuccess) {
    note_call(communicator, Invocation::call);
    closed_communicator(communicator, handle);
  }
  return result;
}

int names_communicator(const auto& invocation) {
  rename(mpi_communicator(get<Role::communicator>(invocation)),
         as_pointer<const char>(get<Role::name>(invocation)));
  return invocation.forward();
}

}  // namespace gridlock::recorder
