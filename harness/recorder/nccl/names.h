// NCCL has two names for each function: ncclX, and pncclX, which a tool calls that defines ncclX
// itself. Both are recorded. A call by the first name goes to such a tool, if there is one.
#pragma once

#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/process/vendor.h"

// Defines both. The last argument is the expression that they return; it may use
//   vendor   the function that is called; null if the installed NCCL is too old to have it
//   frame    for walk_callers
#define GRIDLOCK_NCCL_NAMES(name, parameters, ...)                     \
  GRIDLOCK_NCCL_NAME(name, p##name, NextNccl, parameters, __VA_ARGS__) \
  GRIDLOCK_NCCL_NAME(p##name, p##name, Nccl, parameters, __VA_ARGS__)  \
  static_assert(true)

#define GRIDLOCK_NCCL_NAME(name, vendors, Found, parameters, ...)                  \
  GRIDLOCK_INTERPOSE ncclResult_t name parameters {                                \
    static constinit gridlock::recorder::Found<decltype(vendors)> found(#vendors); \
    [[maybe_unused]] const void* const frame = __builtin_frame_address(0);         \
    auto* const vendor = found.get();                                              \
    if (vendor == nullptr) return ncclInvalidUsage;                                \
    return __VA_ARGS__;                                                            \
  }
