// How many bytes the simulation takes from a sender before the receiver comes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gridlock::run {

// What the simulation takes GRIDLOCK_SIM_BUFFER=`text` for: bytes, or a number with K, M or G.
// Empty: it is no size, and the simulation warns and keeps its default.
std::optional<std::uint64_t> sim_size(std::string_view text);

// GRIDLOCK_SIM_BUFFER of this process's environment, else the simulation's default of 4 MiB.
std::uint64_t sim_buffer_bytes();

}  // namespace gridlock::run
