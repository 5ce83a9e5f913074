// Turns a row of the tables of NCCL's collectives and messages into a wrapper.
#pragma once

#include <type_traits>

#include "harness/recorder/core/each.h"
#include "harness/recorder/nccl/communicate.h"
#include "harness/recorder/nccl/names.h"

namespace gridlock::recorder {

// Types of the arguments, by their names in the tables.
namespace argument {
using send = const void*;
using receive = void*;
using buffer = void*;
using count = size_t;
using type = ncclDataType_t;
using reduction = ncclRedOp_t;
using root = int;
using peer = int;
using communicator = ncclComm_t;
using stream = cudaStream_t;
}  // namespace argument

// The argument of this type, if the function has one.
template <class Type, class... Arguments>
Type find(Type otherwise, Arguments... arguments) {
  const auto take = [&otherwise](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), Type>) otherwise = argument;
  };
  (take(arguments), ...);
  return otherwise;
}

template <class... Arguments>
Communication describe(record::Call call, const void* frame, Arguments... arguments) {
  const auto received = find<argument::receive>(nullptr, arguments...);
  const auto sent = find<argument::send>(received, arguments...);  // perhaps both are one
  return {.call = call,
          .frame = frame,
          .communicator = find<ncclComm_t>(nullptr, arguments...),
          .stream = find<cudaStream_t>(nullptr, arguments...),
          .count = find<std::size_t>(0, arguments...),
          .datatype = find(ncclInt8, arguments...),
          .reduction = find(ncclSum, arguments...),
          .peer = find(-1, arguments...),
          .in_place = sent == received,
          .buffer = sent};
}

}  // namespace gridlock::recorder

#define GRIDLOCK_NCCL_PARAMETER(name) gridlock::recorder::argument::name name

// NCCL's function `name`, recorded as `call`.
#define GRIDLOCK_NCCL_OPERATION(name, call, ...)                                                  \
  GRIDLOCK_NCCL_NAMES(                                                                            \
      name, (GRIDLOCK_EACH(GRIDLOCK_NCCL_PARAMETER, __VA_ARGS__)), (__VA_ARGS__),                 \
      gridlock::recorder::communicate(                                                            \
          gridlock::recorder::describe(gridlock::record::Call::call, frame, __VA_ARGS__), vendor, \
          __VA_ARGS__))
