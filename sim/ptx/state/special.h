// Special registers, as rows of a warp. The clocks are not rows: they are read when asked for.
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

// False when `name` ("%tid.x") names none of them. `type`: as it may be read.
bool special_named(std::string_view name, Special& special, Type& type);

}  // namespace sim::ptx
