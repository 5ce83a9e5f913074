// CUDA has two versions of each function for which it matters what stream 0 means. For the plain
// one, it is the legacy stream. For its twin, it is the calling thread's own default stream; the
// suffix is _ptsz, or _ptds if the function has no stream argument.
#pragma once

#include "harness/recorder/cuda/call.h"

// Defines both. The last argument is the expression that they return; it may use
//   vendor   CUDA's function of the same name; null if there is none
//   meaning  what stream 0 means
//   frame    for walk_callers
#define GRIDLOCK_CUDA_TWINS(name, suffix, parameters, ...)              \
  GRIDLOCK_CUDA_TWIN(name, legacy, parameters, __VA_ARGS__)             \
  GRIDLOCK_CUDA_TWIN(name##suffix, per_thread, parameters, __VA_ARGS__) \
  static_assert(true)

#define GRIDLOCK_CUDA_TWIN(name, default_stream, parameters, ...)                                \
  GRIDLOCK_INTERPOSE cudaError_t name parameters {                                               \
    GRIDLOCK_LOOKUP static constinit gridlock::recorder::NextCuda<decltype(name)> found(#name);  \
    [[maybe_unused]] constexpr auto meaning = gridlock::recorder::DefaultStream::default_stream; \
    [[maybe_unused]] const void* frame = __builtin_frame_address(0);                             \
    auto* const vendor = found.get();                                                            \
    return __VA_ARGS__;                                                                          \
  }
