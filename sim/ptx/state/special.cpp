// The table of special registers, by name.
#include "sim/ptx/state/special.h"

namespace sim::ptx {

bool special_named(std::string_view name, Special& special, Type& type) {
  using enum Special;
  struct Known {
    std::string_view name;
    Special special;
    Type type = Type::kU32;
  };
  static constexpr Known kKnown[] = {{"%tid.x", kTidX},
                                     {"%tid.y", kTidY},
                                     {"%tid.z", kTidZ},
                                     {"%ntid.x", kNtidX},
                                     {"%ntid.y", kNtidY},
                                     {"%ntid.z", kNtidZ},
                                     {"%ctaid.x", kCtaidX},
                                     {"%ctaid.y", kCtaidY},
                                     {"%ctaid.z", kCtaidZ},
                                     {"%nctaid.x", kNctaidX},
                                     {"%nctaid.y", kNctaidY},
                                     {"%nctaid.z", kNctaidZ},
                                     {"%laneid", kLaneid},
                                     {"%warpid", kWarpid},
                                     {"%nwarpid", kNwarpid},
                                     {"%smid", kSmid},
                                     {"%nsmid", kNsmid},
                                     {"%gridid", kGridid, Type::kU64},
                                     {"%lanemask_eq", kLanemaskEq},
                                     {"%lanemask_lt", kLanemaskLt},
                                     {"%lanemask_le", kLanemaskLe},
                                     {"%lanemask_gt", kLanemaskGt},
                                     {"%lanemask_ge", kLanemaskGe},
                                     {"%dynamic_smem_size", kDynamicSmem},
                                     {"%total_smem_size", kTotalSmem},
                                     {"WARP_SZ", kWarpSize}};
  for (const Known& known : kKnown) {
    if (known.name != name) continue;
    special = known.special;
    type = known.type;
    return true;
  }
  return false;
}

}  // namespace sim::ptx
