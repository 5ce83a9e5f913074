// Instructions that no PTX text contains: the loader adds them.
#pragma once

#include "sim/ptx/state/instruction.h"

namespace sim::ptx {

// A group spins if it runs this many loop iterations without seeing or doing anything new.
constexpr std::uint32_t kSpinning = 2;

Instruction join_at(std::uint32_t index);  // where ways meet
Instruction return_here();                 // at the end of a function
Instruction branch_around();               // a guarded instruction that may block

}  // namespace sim::ptx
