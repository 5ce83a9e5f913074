// What one rank gives to, or takes from, a collective of MPI: nothing is a reason not to wait.
#pragma once

#include <cstdint>

#include "harness/recorder/core/communicators.h"
#include "harness/recorder/mpi/mpi.h"

namespace gridlock::recorder {

inline std::uint64_t elements(Word count) {
  return as_int(count) > 0 ? static_cast<std::uint64_t>(as_int(count)) : 0;
}
inline std::uint64_t large(Word count) { return static_cast<std::int64_t>(count) > 0 ? count : 0; }

inline bool at_root(Word root, Word communicator) {
  return membership(mpi_communicator(communicator)).rank == as_int(root);
}

// 0 unless every member gives this rank something.
template <class Count>
std::uint64_t each_gives(Word counts, Word type, Word communicator) {
  const int size = membership(mpi_communicator(communicator)).size;
  const auto* of = as_pointer<const Count>(counts);
  for (int member = 0; member < size; ++member) {
    if (of[member] <= 0) return 0;
  }
  return size == 0 ? 0 : mpi_bytes(static_cast<std::uint64_t>(of[0]), type);
}

// What this rank gets of what is dealt out.
template <class Count>
std::uint64_t own_part(Word counts, Word type, Word communicator) {
  const std::uint32_t index = mpi_communicator(communicator);
  if (index == record::kNone) return 0;
  const Count own = as_pointer<const Count>(counts)[membership(index).rank];
  return own > 0 ? mpi_bytes(static_cast<std::uint64_t>(own), type) : 0;
}

}  // namespace gridlock::recorder
