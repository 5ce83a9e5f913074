// Defines the functions that a program calls instead of MPI's, from the table in functions.inc.
// Each has two names: MPI_X, and PMPI_X for tools. Some programs call that one directly, as parts
// of MPICH's own library for Fortran do.
#include "harness/recorder/core/each.h"
#include "harness/recorder/core/process/tools.h"
#include "harness/recorder/mpi/record_communicators.h"
#include "harness/recorder/mpi/record_operations.h"
#include "harness/recorder/mpi/record_requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

#define PARAMETER(role) Argument<Role::role> role
#define INTERCEPT(name, called, treatment, recorded_as, ...)                          \
  intercept<Row<Call::recorded_as, has_large_counts(#name)>>(                         \
      called, __builtin_frame_address(0), [](const auto& invocation) {                \
        return is_refused(invocation) ? invocation.forward() : treatment(invocation); \
      } __VA_OPT__(, ) __VA_ARGS__)
#define FUNCTION(name, treatment, recorded_as, ...)                                         \
  GRIDLOCK_INTERPOSE int P##name(GRIDLOCK_EACH(PARAMETER, __VA_ARGS__)) {                   \
    GRIDLOCK_LOOKUP static constinit Vendor<decltype(P##name), find_mpi> vendor("P" #name); \
    return INTERCEPT(name, vendor.get(), treatment, recorded_as, __VA_ARGS__);              \
  }                                                                                         \
  GRIDLOCK_INTERPOSE int name(GRIDLOCK_EACH(PARAMETER, __VA_ARGS__)) {                      \
    GRIDLOCK_LOOKUP static constinit Vendor<decltype(name), find_mpi> vendor("P" #name);    \
    GRIDLOCK_LOOKUP static constinit Vendor<decltype(name), find_next_mpi> next("P" #name); \
    if (next.get() != vendor.get()) [[unlikely]]                                            \
      note_mpis_tool();                                                                     \
    return INTERCEPT(name, next.get(), treatment, recorded_as, __VA_ARGS__);                \
  }
#include "harness/recorder/mpi/functions.inc"
