// Describes an operation for the box, from its arguments. An operation without bytes does not wait,
// so the bytes are what this rank gets from the ranks that it must wait for.
#pragma once

#include <cstdint>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/mpi/arguments.h"

namespace gridlock::recorder {

template <class Count>
std::uint64_t elements(Word word) {
  const auto count = static_cast<Count>(word);
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

// 0 unless every member sends this rank something.
template <class Count>
std::uint64_t each_gives(Word counts, Word type, Word communicator) {
  const int size = membership(mpi_communicator(communicator)).size;
  const auto* of = as_pointer<const Count>(counts);
  for (int member = 0; member < size; ++member) {
    if (of[member] <= 0) return 0;
  }
  return size == 0 ? 0 : mpi_bytes(static_cast<std::uint64_t>(of[0]), type);
}

// What this rank gets when a result is scattered.
template <class Count>
std::uint64_t own_part(Word counts, Word type, Word communicator) {
  const std::uint32_t index = mpi_communicator(communicator);
  if (index == record::kNone) return 0;
  const Count own = as_pointer<const Count>(counts)[membership(index).rank];
  return own > 0 ? mpi_bytes(static_cast<std::uint64_t>(own), type) : 0;
}

template <class Invocation>
std::uint64_t bytes_of(const Invocation& invocation) {
  using record::Call;
  using Count = typename Invocation::Count;
  if constexpr (Invocation::has(Role::reduction)) {
    // MPI runs the program's own operator inside the call, where it may do anything.
    if (!mpi::is_built_in(as_handle(get<Role::reduction>(invocation)))) return 0;
  }
  if constexpr (Invocation::call == Call::mpi_gather || Invocation::call == Call::mpi_scatter) {
    // On other ranks the receiving arguments have no meaning; 1 only says that there is something
    // to do.
    constexpr bool root_gets = Invocation::call == Call::mpi_gather;
    const int rank = membership(mpi_communicator(get<Role::communicator>(invocation))).rank;
    if ((rank == as_int(get<Role::root>(invocation))) != root_gets) return 1;
  }
  if constexpr (Invocation::has(Role::count)) {
    return mpi_bytes(elements<Count>(get<Role::count>(invocation)), get<Role::type>(invocation));
  } else if constexpr (!Invocation::has(Role::counts)) {
    return 0;
  } else if constexpr (Invocation::call == Call::mpi_reduce_scatter) {
    return own_part<Count>(get<Role::counts>(invocation), get<Role::type>(invocation),
                           get<Role::communicator>(invocation));
  } else {
    return each_gives<Count>(get<Role::counts>(invocation), get<Role::type>(invocation),
                             get<Role::communicator>(invocation));
  }
}

template <Role role, class Value, class Invocation>
bool is_below(Value least, const Invocation& invocation) {
  if constexpr (Invocation::has(role)) return static_cast<Value>(get<role>(invocation)) < least;
  return false;
}

// Whether MPI refuses this message for its arguments, without looking for the other side. It then
// calls an error handler, which may take its time.
template <class Invocation>
bool is_refused(const Invocation& invocation) {
  using Count = typename Invocation::Count;
  return Invocation::has(Role::peer) && (is_below<Role::peer>(mpi::kAnySource, invocation) ||
                                         is_below<Role::source>(mpi::kAnySource, invocation) ||
                                         is_below<Role::tag>(mpi::kAnyTag, invocation) ||
                                         is_below<Role::in_tag>(mpi::kAnyTag, invocation) ||
                                         is_below<Role::count>(Count{0}, invocation) ||
                                         is_below<Role::room>(Count{0}, invocation));
}

template <class Invocation>
MpiCall describe(const Invocation& invocation) {
  MpiCall what{.call = Invocation::call,
               .frame = invocation.frame,
               .communicator = get<Role::communicator>(invocation),
               .bytes = bytes_of(invocation)};
  if constexpr (Invocation::has(Role::root)) what.peer = as_int(get<Role::root>(invocation));
  if constexpr (Invocation::has(Role::peer)) what.peer = as_int(get<Role::peer>(invocation));
  if constexpr (Invocation::has(Role::tag)) what.tag = as_int(get<Role::tag>(invocation));
  return what;
}

}  // namespace gridlock::recorder
