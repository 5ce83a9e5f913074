// Special registers, as rows of a warp. Clocks are not rows: each use reads the time.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/ptx/text/types.h"

namespace sim::ptx {

enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLt,
  kLanemaskLe,
  kLanemaskGt,
  kLanemaskGe,
  kDynamicSmem,
  kTotalSmem,
  kWarpSize,
  kZero,
  kFrameLocal,  // the frame's first local address: locals are found from it
  kSink,        // what is written here nobody reads
  kCount
};

// False if `name` ("%tid.x") is not a special register. `type`: the type that it is read as.
bool special_named(std::string_view name, Special& special, Type& type);

}  // namespace sim::ptx
