// Follows the calls that a sleeping thread is in, by what each module says of its functions' frames
// (.eh_frame). No thread is stopped for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/run/look/kernel/programs/elf_file.h"

namespace gridlock::run {

// The words from a sleeping thread's stack pointer on.
struct StackWords {
  std::uint64_t pointer = 0;
  std::span<const std::uint64_t> words;
};

struct CallChain {
  // Where the thread is, and the address to which each of its calls returns, innermost first.
  std::vector<std::uint64_t> addresses;
  // Where the stack was before the thread's first function: no frame lies behind.
  std::uint64_t end = 0;
};

// The calls that a thread is in, from `instruction` to its first function. {} if that cannot be
// told: a module has no such tables or is another file by now, a frame needs a register that nobody
// saved, a signal's handler runs, or this is no x86-64.
//   code    by address
//   Blocks  the first time in a module, to open its file
std::optional<CallChain> call_chain(const StackWords& stack, std::uint64_t instruction,
                                    std::span<const Code> code);

}  // namespace gridlock::run
