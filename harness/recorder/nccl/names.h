// NCCL has two names for each function: ncclX, and pncclX for tools that define ncclX themselves. A
// library of the program, or a tool, that does so stands before NCCL. Then a call of ncclX goes to
// it and is not recorded; what it makes of the call, and when, is recorded where it calls NCCL
// (core/process/handles.cpp sees to it that the tool gets this pncclX, however it asks).
#pragma once

#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/process/tools.h"

// Defines both. `arguments` are the parameters' names. The last argument is the expression that
// they return if no tool is called; it may use
//   vendor   NCCL's function; null if the installed NCCL is too old to have it
//   frame    for walk_callers
#define GRIDLOCK_NCCL_NAMES(name, parameters, arguments, ...)                                      \
  GRIDLOCK_INTERPOSE ncclResult_t p##name parameters {                                             \
    GRIDLOCK_LOOKUP static constinit gridlock::recorder::Nccl<decltype(p##name)> found("p" #name); \
    [[maybe_unused]] const void* const frame = __builtin_frame_address(0);                         \
    auto* const vendor = found.get();                                                              \
    if (vendor == nullptr) return ncclInvalidUsage;                                                \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  GRIDLOCK_INTERPOSE ncclResult_t name parameters {                                                \
    GRIDLOCK_LOOKUP static constinit gridlock::recorder::Nccl<decltype(p##name)> found("p" #name); \
    GRIDLOCK_LOOKUP static constinit gridlock::recorder::NextNccl<decltype(p##name)> next(         \
        "p" #name);                                                                                \
    [[maybe_unused]] const void* const frame = __builtin_frame_address(0);                         \
    auto* const called = next.get();                                                               \
    auto* const vendor = found.get();                                                              \
    if (called != vendor) [[unlikely]]                                                             \
      return called arguments;                                                                     \
    if (vendor == nullptr) return ncclInvalidUsage;                                                \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  static_assert(true)
