// Variables of any space, as modules, functions and parameter lists declare them.
#pragma once

#include "sim/ptx/text/source.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {

// Larger things are refused: no device that we simulate has them.
constexpr std::uint64_t kMostVariableBytes = 1ULL << 32;

// A variable, from its state space on ("`.global .align 4 .b8 name[20] = {…}`"), without what ends
// it.
VariableSource parse_variable(Lexer& lexer, Linkage linkage);

}  // namespace sim::ptx
