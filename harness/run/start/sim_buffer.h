// How many bytes the simulation takes from a sender before the receiver comes.
#pragma once

#include <cstdint>
#include <string>

namespace gridlock::run {

// GRIDLOCK_SIM_BUFFER of this process's environment (bytes, K, M or G behind it), else 4 MiB, which
// is also what NCCL has for one channel.
std::uint64_t sim_buffer_bytes();

}  // namespace gridlock::run
