// The driver's functions by name.
#pragma once

#include <string_view>

namespace sim {

// Null where there is none. A name may end in the version of its interface ("_v2").
void* driver_function(std::string_view name);

}  // namespace sim
