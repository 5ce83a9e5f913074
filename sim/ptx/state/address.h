// Generic addresses. Global memory is the host's memory. The other spaces lie where no host address
// can: in non-canonical addresses of the upper half.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim::ptx {

constexpr std::uint64_t kSharedWindow = 0xf000'0000'0000'0000;
constexpr std::uint64_t kLocalWindow = 0xe000'0000'0000'0000;
constexpr std::uint64_t kParamWindow = 0xd000'0000'0000'0000;
constexpr std::uint64_t kFunctionWindow = 0xc000'0000'0000'0000;
constexpr std::uint64_t kWindowMask = 0xf000'0000'0000'0000;
constexpr std::uint64_t kFunctionStep = 16;

// What lies at an address of the host's memory.
inline std::byte* at_address(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): a program's
}

}  // namespace sim::ptx
