// Records calls about requests that were started earlier.
#pragma once

#include "harness/recorder/mpi/arguments.h"
#include "harness/recorder/mpi/requests.h"

namespace gridlock::recorder {

// How calls that wait for requests, or test them, differ.
struct Awaited {
  record::Call call = record::Call::none;  // none: the call only tests
  const void* frame = nullptr;
  const std::uint32_t* handles = nullptr;
  int count = 1;
  Word status = mpi::kStatusIgnore;  // where the program wants statuses
  bool one = true;                   // one status, for whichever request has ended
  // How many statuses there are, and the request of each; null: one for each request, in order.
  const int* told = nullptr;
  const int* indexes = nullptr;

  record::Waits waits() const {
    if (call == record::Call::none) return record::Waits::nothing;
    return call == record::Call::mpi_waitany ? record::Waits::any_request
                                             : record::Waits::all_requests;
  }
};

template <class Invocation>
Awaited awaited(const Invocation& invocation) {
  Awaited what{.call = Invocation::call, .frame = invocation.frame};
  if constexpr (Invocation::has(Role::requests)) {
    what.handles = as_pointer<std::uint32_t>(get<Role::requests>(invocation));
    what.count = as_int(get<Role::count>(invocation));
  } else {
    what.handles = as_pointer<std::uint32_t>(get<Role::request>(invocation));
  }
  if constexpr (Invocation::has(Role::statuses)) {
    what.status = get<Role::statuses>(invocation);
    what.one = false;
  } else {
    what.status = get<Role::status>(invocation);
  }
  if constexpr (Invocation::has(Role::indexes)) {
    what.told = as_pointer<int>(get<Role::done>(invocation));
    what.indexes = as_pointer<int>(get<Role::indexes>(invocation));
  }
  return what;
}

inline const mpi::Status* status_of(const Awaited& what, const mpi::Status* all,
                                    std::uint32_t request) {
  if (all == nullptr || what.one) return all;
  if (what.indexes == nullptr) return all + place_of(request);
  for (int i = 0; i < *what.told; ++i) {
    if (what.indexes[i] == place_of(request)) return all + i;
  }
  return nullptr;
}

// A request whose end the program itself reports, to functions of its own.
int starts_own(const auto& invocation) {
  note_callback(Callback::request);
  return invocation.forward();
}

// A request is over if its handle is gone after the call.
template <class Invocation>
int completes(const Invocation& invocation) {
  constexpr int kStatuses = 64;  // the recorder asks for at most this many itself
  constexpr Role kStatus = Invocation::has(Role::statuses) ? Role::statuses : Role::status;
  const Awaited what = awaited(invocation);
  const record::Waits waits = what.waits();
  const Requests before = find_requests(what.handles, what.count, true);
  if (!before.any() && waits == record::Waits::nothing) return invocation.forward();
  mpi::Status own[kStatuses];
  Word told = what.status;
  const bool wanted = told == mpi::kStatusIgnore && is_wild(before);
  if (wanted && (what.one || what.count <= kStatuses)) told = as_word(own);
  const bool shows = waits != record::Waits::nothing && !has_callback(Callback::request);
  if (shows) enter_wait_for(before, what.call, waits, invocation.thread, invocation.frame);
  const int result = forward_with<kStatus>(invocation, told);
  const auto* all = told == mpi::kStatusIgnore ? nullptr : as_pointer<const mpi::Status>(told);
  if (result != mpi::kSuccess) note_failure();
  const Requests after = find_requests(what.handles, what.count, false);
  for_each(before.without(after), [&](std::uint32_t request) {
    finish_request(request, invocation.thread, result, status_of(what, all, request));
  });
  if (shows) {
    leave_wait(invocation.thread);
  } else if (waits == record::Waits::nothing) {
    constexpr bool kForAny = Invocation::has(Role::index) || Invocation::has(Role::indexes);
    note_tested(before, after, !kForAny, invocation.thread);
  }
  return result;
}

// A cancelled request may or may not still take a message.
int cancels(const auto& invocation) {
  mark_uncertain_request(*as_pointer<std::uint32_t>(get<Role::request>(invocation)));
  return invocation.forward();
}

int frees_request(const auto& invocation) {
  const std::uint32_t handle = *as_pointer<std::uint32_t>(get<Role::request>(invocation));
  const std::uint32_t known = find_request(handle);
  mark_uncertain_request(handle);
  const int result = invocation.forward();
  finish_request(known, invocation.thread, mpi::kSuccess, nullptr);
  return result;
}

}  // namespace gridlock::recorder
