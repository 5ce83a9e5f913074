// Waiting for requests, and asking whether they are over.
#include "harness/recorder/mpi/requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::Waits;

namespace {

// More statuses than this are not made where the program asks for none.
constexpr int kStatuses = 64;

struct Awaited {
  Call call = Call::mpi_wait;
  Waits waits = Waits::all_requests;  // nothing: the call only asks
  const void* frame = nullptr;
  const std::uint32_t* handles = nullptr;
  int count = 0;
  Word status = mpi::kStatusIgnore;  // where the program wants them
  // How many statuses there are, and which request the `i`th is of; null: that at the same place.
  const int* told = nullptr;
  const int* indexes = nullptr;
  bool one = false;  // one status for whichever request it is of
};

const mpi::Status* status_of(const Awaited& what, const mpi::Status* all, std::uint32_t request) {
  if (all == nullptr || what.one) return all;
  if (what.indexes == nullptr) return all + place_of(request);
  for (int i = 0; i < *what.told; ++i) {
    if (what.indexes[i] == place_of(request)) return all + i;
  }
  return nullptr;
}

// Requests whose handles are gone after the call are over.
template <class Forward>
int complete(const Awaited& what, Forward call, bool is_there) {
  if (!is_there) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return call(what.status);
  const Inside inside(thread);
  const Requests before = find_requests(what.handles, what.count, true);
  if (!before.any() && what.waits == Waits::nothing) return call(what.status);
  mpi::Status own[kStatuses];
  Word told = what.status;
  const bool wanted = told == mpi::kStatusIgnore && is_wild(before);
  if (wanted && (what.one || what.count <= kStatuses)) told = as_word(own);
  if (what.waits != Waits::nothing) {
    enter_wait_for(before, what.call, what.waits, thread, what.frame);
  }
  const int result = call(told);
  const auto* all = told == mpi::kStatusIgnore ? nullptr : as_pointer<const mpi::Status>(told);
  if (result != mpi::kSuccess) note_failure();
  const Requests after = find_requests(what.handles, what.count, false);
  for_each(before.without(after), [&](std::uint32_t request) {
    finish_request(request, thread, result, status_of(what, all, request));
  });
  if (what.waits != Waits::nothing) leave_wait(thread);
  return result;
}

}  // namespace

GRIDLOCK_INTERPOSE int MPI_Wait(Word request, Word status) {
  static constinit Mpi<2> vendor("PMPI_Wait");
  return complete(
      {.call = Call::mpi_wait,
       .frame = __builtin_frame_address(0),
       .handles = as_pointer<std::uint32_t>(request),
       .count = 1,
       .status = status,
       .one = true},
      [&](Word told) { return vendor.get()(request, told); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Test(Word request, Word flag, Word status) {
  static constinit Mpi<3> vendor("PMPI_Test");
  return complete(
      {.waits = Waits::nothing,
       .handles = as_pointer<std::uint32_t>(request),
       .count = 1,
       .status = status,
       .one = true},
      [&](Word told) { return vendor.get()(request, flag, told); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Waitall(Word count, Word requests, Word statuses) {
  static constinit Mpi<3> vendor("PMPI_Waitall");
  return complete(
      {.call = Call::mpi_waitall,
       .frame = __builtin_frame_address(0),
       .handles = as_pointer<std::uint32_t>(requests),
       .count = as_int(count),
       .status = statuses},
      [&](Word told) { return vendor.get()(count, requests, told); }, vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Testall(Word count, Word requests, Word flag, Word statuses) {
  static constinit Mpi<4> vendor("PMPI_Testall");
  return complete(
      {.waits = Waits::nothing,
       .handles = as_pointer<std::uint32_t>(requests),
       .count = as_int(count),
       .status = statuses},
      [&](Word told) { return vendor.get()(count, requests, flag, told); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Waitany(Word count, Word requests, Word index, Word status) {
  static constinit Mpi<4> vendor("PMPI_Waitany");
  return complete(
      {.call = Call::mpi_waitany,
       .waits = Waits::any_request,
       .frame = __builtin_frame_address(0),
       .handles = as_pointer<std::uint32_t>(requests),
       .count = as_int(count),
       .status = status,
       .one = true},
      [&](Word told) { return vendor.get()(count, requests, index, told); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Testany(Word count, Word requests, Word index, Word flag, Word status) {
  static constinit Mpi<5> vendor("PMPI_Testany");
  return complete(
      {.waits = Waits::nothing,
       .handles = as_pointer<std::uint32_t>(requests),
       .count = as_int(count),
       .status = status,
       .one = true},
      [&](Word told) { return vendor.get()(count, requests, index, flag, told); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Waitsome(Word count, Word requests, Word done, Word indexes,
                                    Word statuses) {
  static constinit Mpi<5> vendor("PMPI_Waitsome");
  return complete(
      {.call = Call::mpi_waitany,
       .waits = Waits::any_request,
       .frame = __builtin_frame_address(0),
       .handles = as_pointer<std::uint32_t>(requests),
       .count = as_int(count),
       .status = statuses,
       .told = as_pointer<int>(done),
       .indexes = as_pointer<int>(indexes)},
      [&](Word told) { return vendor.get()(count, requests, done, indexes, told); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Testsome(Word count, Word requests, Word done, Word indexes,
                                    Word statuses) {
  static constinit Mpi<5> vendor("PMPI_Testsome");
  return complete(
      {.waits = Waits::nothing,
       .handles = as_pointer<std::uint32_t>(requests),
       .count = as_int(count),
       .status = statuses,
       .told = as_pointer<int>(done),
       .indexes = as_pointer<int>(indexes)},
      [&](Word told) { return vendor.get()(count, requests, done, indexes, told); },
      vendor.get() != nullptr);
}

// What becomes of it then is not known.
GRIDLOCK_INTERPOSE int MPI_Cancel(Word request) {
  static constinit Mpi<1> vendor("PMPI_Cancel");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  if (records_mpi(this_thread())) mark_uncertain_request(*as_pointer<std::uint32_t>(request));
  return vendor.get()(request);
}

GRIDLOCK_INTERPOSE int MPI_Request_free(Word request) {
  static constinit Mpi<1> vendor("PMPI_Request_free");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return vendor.get()(request);
  const Inside inside(thread);
  const std::uint32_t handle = *as_pointer<std::uint32_t>(request);
  const std::uint32_t known = find_request(handle);
  mark_uncertain_request(handle);
  const int result = vendor.get()(request);
  finish_request(known, thread, mpi::kSuccess, nullptr);
  return result;
}
