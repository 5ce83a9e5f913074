// Defines the functions that a program calls instead of MPI's, from the table in functions.inc.
#include "harness/recorder/core/each.h"
#include "harness/recorder/core/process/tools.h"
#include "harness/recorder/mpi/record_communicators.h"
#include "harness/recorder/mpi/record_operations.h"
#include "harness/recorder/mpi/record_requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

#define PARAMETER(role) Argument<Role::role> role
#define FUNCTION(name, treatment, recorded_as, ...)                                         \
  GRIDLOCK_INTERPOSE int name(GRIDLOCK_EACH(PARAMETER, __VA_ARGS__)) {                      \
    GRIDLOCK_LOOKUP static constinit Vendor<decltype(name), find_mpi> vendor("P" #name);    \
    GRIDLOCK_LOOKUP static constinit Vendor<decltype(name), find_next_mpi> next("P" #name); \
    if (next.get() != vendor.get()) [[unlikely]]                                            \
      note_mpis_tool();                                                                     \
    return intercept<Row<Call::recorded_as, has_large_counts(#name)>>(                      \
        next.get(), __builtin_frame_address(0), [](const auto& invocation) {                \
          return is_refused(invocation) ? invocation.forward() : treatment(invocation);     \
        } __VA_OPT__(, ) __VA_ARGS__);                                                      \
  }
#include "harness/recorder/mpi/functions.inc"
