// How much the simulation lets a sender send before it is taken.
#pragma once

#include <cstdint>
#include <string>

namespace gridlock::run {

// GRIDLOCK_SIM_BUFFER of this process's environment (bytes, K, M or G behind it), else 4 MiB, which
// is also what NCCL has for one channel.
std::uint64_t sim_buffer_bytes();

}  // namespace gridlock::run
