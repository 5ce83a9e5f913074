// The arguments of MPI's functions, each with its role in the type. The table of functions
// (functions.inc) names the roles; what the recorder does with a call asks for an argument by role.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "harness/recorder/mpi/callbacks.h"
#include "harness/recorder/mpi/mpi.h"

namespace gridlock::recorder {

// clang-format off
enum class Role : std::uint8_t {
  // How much of what. `send…` and `sent…` are the sending side of a collective that has two sides;
  // `in`, `room` and `in_type` are the receiving side of an exchange.
  buffer, send, receive, in, count, sent, room, length, counts, sent_counts, received_counts,
  offsets, send_offsets, type, send_type, in_type, types, send_types, partitions, reduction,
  // With whom.
  communicator, root, peer, tag, source, in_tag,
  // The outcome. A plural is an array.
  request, requests, status, statuses, message, flag, index, indexes, done,
  // The rest. `child` points to a new communicator's handle, `freed` to an old one's.
  child, freed, color, key, kind, group, name, info,
  program_count, program_arguments, required, provided,
  // The program's functions for the attributes of a communicator; null: none.
  copies, deletes, extra,
  // Of no interest, in MPI's order.
  first, second, third, fourth, fifth, sixth, seventh, eighth,
};
// clang-format on

// An argument is passed on as the word that it holds.
template <Role>
struct Argument {
  Word word;
};

// In MPI the suffix _c says that counts have 64 bits.
constexpr bool has_large_counts(std::string_view name) { return name.ends_with("_c"); }

// What the table says about a function besides its arguments, as a type.
template <record::Call recorded_as, bool large_counts>
struct Row {
  static constexpr record::Call call = recorded_as;
  using Count = std::conditional_t<large_counts, std::int64_t, int>;
};

// A program's call that is to be recorded, and how to forward it to MPI.
template <class Row, class Function, Role... roles>
struct MpiInvocation : Row {
  static constexpr bool has(Role role) { return ((roles == role) || ...); }

  Function* function;
  ThreadState& thread;
  const void* frame;  // of the function that the program called
  std::tuple<Argument<roles>...> arguments;

  int forward() const { return forward(arguments); }
  int forward(const std::tuple<Argument<roles>...>& passed) const {
    if (!has_callbacks()) [[likely]]
      return std::apply(function, passed);
    const RunsCallbacks meanwhile(thread);
    return std::apply(function, passed);
  }
};

template <Role role>
Word get(const auto& invocation) {
  return std::get<Argument<role>>(invocation.arguments).word;
}

// Forwards the call with another word for one argument.
template <Role role>
int forward_with(const auto& invocation, Word word) {
  auto changed = invocation.arguments;
  std::get<Argument<role>>(changed).word = word;
  return invocation.forward(changed);
}

// What all wrappers share. `function` is null if the process has no MPI. `record` records a call
// and forwards it.
template <class Row, class Function, class Record, Role... roles>
[[gnu::always_inline]] inline int intercept(Function* function, const void* frame, Record record,
                                            Argument<roles>... arguments) {
  if (function == nullptr) return mpi::kErrOther;
  if constexpr (Row::call == record::Call::mpi_init) take_over_recording();
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return function(arguments...);
  const Inside inside(thread);
  return record(
      MpiInvocation<Row, Function, roles...>{{}, function, thread, frame, {arguments...}});
}

}  // namespace gridlock::recorder
