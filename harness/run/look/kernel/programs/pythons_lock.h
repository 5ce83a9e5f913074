// Python's global lock. Who waits for it looks again every few milliseconds, but does nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/run/look/kernel/programs/elf_file.h"

namespace gridlock::run {

struct PythonsLock {
  bool is_held = false;  // if not, one that waits for it is about to have it
  // How often it has gone from one thread to another. Equal in two looks: no thread that waited for
  // it has had it in between.
  std::uint64_t turns = 0;
};

// The lock that a thread of `pid` waits for at the futex `word`. {}: that is not Python's, or its
// memory does not look as CPython's has since 3.8.
//   code    the process's
//   Source  CPython's pycore_gil.h; glibc's pthread_cond_t
//   Blocks  the first time in a process's Python, to open its file
std::optional<PythonsLock> pythons_lock(std::int64_t pid, std::uint64_t word,
                                        std::span<const Code> code);

}  // namespace gridlock::run
