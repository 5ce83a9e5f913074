// Parses a function's body: resolves registers and scopes, and lists statements and operands.
#pragma once

#include "sim/ptx/text/source.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {

// Reads from after '{' to after its '}'. `function` already has its parameters.
void parse_body(Lexer& lexer, ModuleSource& module, FunctionSource& function);

// Read ".file 1 "relu.cu"" and ".loc 1 20 3", after their first word.
void parse_file(Lexer& lexer, ModuleSource& module);
void parse_location(Lexer& lexer, ModuleSource& module);

}  // namespace sim::ptx
