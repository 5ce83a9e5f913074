// MPI joins the agents of several machines. On one machine only its version matters.
#include "harness/session/mpi.h"

#ifdef GRIDLOCK_WITH_MPI
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string_view>
#endif

namespace gridlock::session {

std::string mpi_version() {
#ifdef GRIDLOCK_WITH_MPI
  // "MPICH Version:\t4.0.2\n…"; may be asked before MPI_Init.
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return {};
  const std::string_view all(text.data(), static_cast<std::size_t>(length));
  constexpr std::string_view kBegin = "MPICH Version:";
  std::string_view first = all.substr(0, all.find('\n'));
  if (!first.starts_with(kBegin)) return std::string(first);
  first.remove_prefix(kBegin.size());
  first.remove_prefix(std::min(first.find_first_not_of(" \t"), first.size()));
  return "MPICH " + std::string(first);
#else
  return {};
#endif
}

}  // namespace gridlock::session
