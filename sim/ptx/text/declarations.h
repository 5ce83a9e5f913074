// Parses variables of any space, in modules, functions and parameter lists.
#pragma once

#include "sim/ptx/text/source.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {

// Larger variables are refused: no device that we simulate can hold them.
constexpr std::uint64_t kMostVariableBytes = 1ULL << 32;

// Parses a variable from its state space on ("`.global .align 4 .b8 name[20] = {…}`"), up to but
// not including the token after it.
VariableSource parse_variable(Lexer& lexer, Linkage linkage);

}  // namespace sim::ptx
