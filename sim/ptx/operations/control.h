// Instructions that no text has: what loading adds.
#pragma once

#include "sim/ptx/state/instruction.h"

namespace sim::ptx {

// A group that comes round a loop this often, without seeing or doing anything new, spins.
constexpr std::uint32_t kSpinning = 2;

Instruction join_at(std::uint32_t index);  // where ways meet
Instruction return_here();                 // at the end of a function
Instruction branch_around();               // a guarded instruction that may block

}  // namespace sim::ptx
