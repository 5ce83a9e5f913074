// Faults of simulated devices, which GRIDLOCK_SIM_FAULT asks for (docs/sim.md has its grammar).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct Fault {
  enum class Kind : std::uint8_t {
    kLost,            // the device is gone: every call on it fails, for good
    kIllegalAddress,  // the kernel fails: every call fails until cudaDeviceReset
    kHang,            // the kernel never ends
    kSlow,            // this kernel and all later ones last `factor` times as long
  };
  static constexpr int kEveryDevice = -1;

  Kind kind = Kind::kLost;
  int device = kEveryDevice;
  double factor = 1;
  std::uint64_t launch = 1;  // at the device's kernel of this number, counted from 1
};

// Reads a list such as "lost:2@launch=5,slow:1:10".
//   Errors   `error` becomes a sentence that quotes the faulty part, and the list is empty
std::vector<Fault> parse_faults(std::string_view text, std::string& error);

}  // namespace sim
