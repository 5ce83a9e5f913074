// Tells the programs apart that one process executes one after the other. At each exec, the kernel
// gives a program 16 random bytes and says in the auxiliary vector where they are (AT_RANDOM). That
// address is random too, and so is that of the kernel's own code (AT_SYSINFO_EHDR).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gridlock::record {

constexpr std::size_t kRandomBytes = 16;

// Never 0. `random`: the bytes; empty if nobody may read them.
constexpr std::uint64_t program_number(std::uint64_t random_at, std::uint64_t kernel_code_at,
                                       std::string_view random) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::uint64_t number = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { number = (number ^ value) * kPrime; };
  add(random_at);
  add(kernel_code_at);
  for (const char byte : random) add(static_cast<unsigned char>(byte));
  return number | 1U;
}

// The numbers that another process may find for a program: with its random bytes, and without.
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
