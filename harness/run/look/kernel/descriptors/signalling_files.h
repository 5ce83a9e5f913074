// Descriptors at which the kernel sends a signal.
#pragma once

#include <cstdint>

namespace gridlock::run {

// Whether `pid` has a descriptor at which the kernel sends a signal when something happens
// (O_ASYNC), or its descriptors are not known.
bool has_signalling_file(std::int64_t pid);

}  // namespace gridlock::run
