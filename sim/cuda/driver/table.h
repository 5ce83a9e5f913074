// The driver's functions by name.
#pragma once

#include <string_view>

namespace sim {

// Null if there is none. A name may end with the version of its interface ("_v2").
void* driver_function(std::string_view name);

}  // namespace sim
