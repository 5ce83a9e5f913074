// How large a block may be, and what a multiprocessor holds, as on a GPU of compute capability 9.0.
#pragma once

#include <cstdint>

namespace sim::kernels {

constexpr std::uint32_t kShared = 48u << 10;       // bytes a block may have unless it asks for more
constexpr std::uint32_t kMostShared = 227u << 10;  // bytes it may ask for
constexpr std::uint32_t kSharedOfAll = 228u << 10;  // bytes of a multiprocessor
constexpr int kMostThreads = 1024;                  // of a block
constexpr int kThreadsOfAll = 2048;                 // of a multiprocessor

}  // namespace sim::kernels
