// Tells the programs apart that one process executes one after the other. At each exec, the kernel
// gives a program 16 random bytes and says in the auxiliary vector where they are (AT_RANDOM). That
// address is random too, and so is that of the kernel's own code (AT_SYSINFO_EHDR). An emulator
// (valgrind) may show its program other addresses.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

namespace gridlock::record {

// Never 0.
constexpr std::uint64_t program_number(std::initializer_list<std::uint64_t> values) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::uint64_t number = 0xcbf29ce484222325;
  for (const std::uint64_t value : values) number = (number ^ value) * kPrime;
  return number | 1U;
}
using RandomBytes = std::array<std::uint64_t, 2>;
constexpr std::uint64_t program_number(const RandomBytes& bytes) {
  return program_number({bytes[0], bytes[1]});
}

// The numbers that another process may find for a program: by its random bytes, and by the
// addresses if nobody may read them.
struct ProgramNumbers {
  std::uint64_t by_bytes = 0;
  std::uint64_t by_addresses = 0;
  // Whether `number`, found by another process, is this program's.
  constexpr bool has(std::uint64_t number) const {
    return number == by_bytes || number == by_addresses;
  }
};

// Of the calling process.
ProgramNumbers own_program();

}  // namespace gridlock::record
