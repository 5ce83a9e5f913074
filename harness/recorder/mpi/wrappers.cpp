// The functions that a program calls instead of MPI's, made from the table in functions.inc.
#include "harness/recorder/mpi/record_communicators.h"
#include "harness/recorder/mpi/record_operations.h"
#include "harness/recorder/mpi/record_requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

// Makes a, b, c into Argument<Role::a> a, Argument<Role::b> b, Argument<Role::c> c. The
// preprocessor expands PARAMETERS once each time it reads the text: RESCAN makes it read sixteen
// times.
#define RESCAN(...) RESCAN_2(RESCAN_2(RESCAN_2(RESCAN_2(__VA_ARGS__))))
#define RESCAN_2(...) RESCAN_1(RESCAN_1(RESCAN_1(RESCAN_1(__VA_ARGS__))))
#define RESCAN_1(...) __VA_ARGS__
#define PARAMETERS(role, ...) \
  Argument<Role::role> role __VA_OPT__(, MORE_PARAMETERS PARENTHESES(__VA_ARGS__))
#define MORE_PARAMETERS() PARAMETERS
#define PARENTHESES ()

#define FUNCTION(name, treatment, recorded_as, ...)                                               \
  GRIDLOCK_INTERPOSE int name(__VA_OPT__(RESCAN(PARAMETERS(__VA_ARGS__)))) {                      \
    static constinit Vendor<decltype(name), find_mpi> vendor("P" #name);                          \
    return intercept<Row<Call::recorded_as, has_large_counts(#name)>>(                            \
        vendor.get(), __builtin_frame_address(0),                                                 \
        [](const auto& invocation) { return treatment(invocation); } __VA_OPT__(, ) __VA_ARGS__); \
  }
#include "harness/recorder/mpi/functions.inc"
