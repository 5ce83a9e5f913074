// Records calls that are operations: collectives and messages.
#pragma once

#include "harness/recorder/mpi/describe.h"
#include "harness/recorder/mpi/messages.h"
#include "harness/recorder/mpi/requests.h"

namespace gridlock::recorder {

// The call itself waits.
int waits(const auto& invocation) {
  const MpiWait wait = begin_wait(describe(invocation), invocation.thread);
  const int result = invocation.forward();
  end_wait(wait, invocation.thread, result);
  return result;
}

// The call starts the operation, and MPI gives it a request.
int starts(const auto& invocation) {
  const std::uint32_t placed = place_request(describe(invocation), invocation.thread);
  const int result = invocation.forward();
  started(placed, invocation.thread, *as_pointer<std::uint32_t>(get<Role::request>(invocation)),
          result);
  return result;
}

// Where MPI should write the status: into `own`, if the program does not want it.
Word status_or(const auto& invocation, mpi::Status& own) {
  const Word wanted = get<Role::status>(invocation);
  return wanted == mpi::kStatusIgnore ? as_word(&own) : wanted;
}

// The recorder must know what a receive from any source got, even if the program does not ask.
int receives(const auto& invocation) {
  mpi::Status own;
  const Word told = status_or(invocation, own);
  const MpiWait wait = begin_wait(describe(invocation), invocation.thread);
  const int result =
      forward_with<Role::status>(invocation, wait.call.wild ? told : get<Role::status>(invocation));
  end_wait(wait, invocation.thread, result, as_pointer<mpi::Status>(told));
  return result;
}

// A matched probe has set a message aside: no other receive will get it.
void note_taken(const auto& invocation, const mpi::Status& status) {
  const std::uint32_t index = mpi_communicator(get<Role::communicator>(invocation));
  if (index == record::kNone || status.source == mpi::kProcNull) return;
  register_thread(invocation.thread);
  got_message(index, invocation.thread, status);
}

int takes(const auto& invocation) {
  mpi::Status own;
  const Word told = status_or(invocation, own);
  const MpiWait wait = begin_wait(describe(invocation), invocation.thread);
  const int result = forward_with<Role::status>(invocation, told);
  if (result == mpi::kSuccess) note_taken(invocation, *as_pointer<mpi::Status>(told));
  end_wait(wait, invocation.thread, result);
  return result;
}

int takes_if_there(const auto& invocation) {
  mpi::Status own;
  const Word told = status_or(invocation, own);
  const int result = forward_with<Role::status>(invocation, told);
  if (result == mpi::kSuccess && *as_pointer<int>(get<Role::flag>(invocation)) != 0) {
    note_taken(invocation, *as_pointer<mpi::Status>(told));
  }
  return result;
}

// The receiving side of an exchange. Without its own buffer arguments, it receives as much as it
// sends.
template <class Invocation>
MpiCall describe_receive(const Invocation& invocation, const MpiCall& send) {
  MpiCall receive = send;
  receive.call = record::Call::mpi_recv;
  receive.peer = as_int(get<Role::source>(invocation));
  receive.tag = as_int(get<Role::in_tag>(invocation));
  if constexpr (Invocation::has(Role::room)) {
    receive.bytes = mpi_bytes(elements<typename Invocation::Count>(get<Role::room>(invocation)),
                              get<Role::in_type>(invocation));
  }
  return receive;
}

// A send and a receive in one call: two requests that the call itself waits for.
int exchanges(const auto& invocation) {
  mpi::Status own;
  const Word told = status_or(invocation, own);
  const MpiCall send = describe(invocation);
  Requests requests;
  const std::uint32_t placed[] = {
      place_request(send, invocation.thread),
      place_request(describe_receive(invocation, send), invocation.thread)};
  for (const std::uint32_t index : placed) {
    if (index != record::kNone) requests.known[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  enter_wait_for(requests, record::Call::mpi_sendrecv, record::Waits::all_requests,
                 invocation.thread, invocation.frame);
  const int result = forward_with<Role::status>(
      invocation, is_wild(requests) ? told : get<Role::status>(invocation));
  for (const std::uint32_t index : placed) {
    finish_request(index, invocation.thread, result, as_pointer<mpi::Status>(told));
  }
  leave_wait(invocation.thread);
  return result;
}

// The call sends or receives but is not recorded, so from here on the messages of its communicator
// cannot be numbered.
int uncounted(const auto& invocation) {
  mark_uncertain(mpi_communicator(get<Role::communicator>(invocation)));
  return invocation.forward();
}

}  // namespace gridlock::recorder
