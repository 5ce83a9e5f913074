// Which program a process executes.
#pragma once

#include <cstdint>

#include "harness/record/program.h"

namespace gridlock::run {

// A number that differs for each exec (record::program_number): a process has the same one as long
// as it executes the same program, and so has a child that has not called exec. 0: not known.
//   Blocks   no; two system calls
std::uint64_t executed_program(std::int64_t pid);

// Whether the process executes another program than `first`, or is about to. One that is ending
// does not, though it has no memory left that shows the number. On a GPU that takes long, because
// the driver closes its files last.
//   Blocks   no; some system calls
bool executes_another(std::int64_t pid, const record::ProgramNumbers& first);

// Whether one process may be a clone of the other that kept its memory (CLONE_VM).
bool may_share_memory(std::int64_t one, std::int64_t other);

}  // namespace gridlock::run
