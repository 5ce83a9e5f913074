// Python's global lock. Who waits for it looks again every few milliseconds, but does nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/run/look/kernel/programs/elf_file.h"

namespace gridlock::run {

struct PythonsLock {
  // The thread that holds it, or did; 0: not known.
  std::int64_t holder = 0;
  bool is_held = false;  // if not, one that waits for it is about to have it
  // How often it has gone from one thread to another. Equal in two looks: no thread that waited for
  // it has had it in between.
  std::uint64_t turns = 0;
};

// The lock that a thread of `pid` waits for at the futex `word`. {}: that is not Python's, its
// memory does not look as CPython's has since 3.8, or who waits for it looks again only after a
// long time. (A thread that looks again while Python ends does not wait on, but ends.)
//   code    the process's
//   Source  CPython's pycore_gil.h; glibc's pthread_cond_t
//   Blocks  the first time in a process's Python, to open its file
std::optional<PythonsLock> pythons_lock(std::int64_t pid, std::uint64_t word,
                                        std::span<const Code> code);

}  // namespace gridlock::run
