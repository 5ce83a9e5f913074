// The body of a function: registers and scopes resolved, statements and their operands listed.
#pragma once

#include "sim/ptx/text/source.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {

// From after '{' to after its '}'. `function` has its parameters already.
void parse_body(Lexer& lexer, ModuleSource& module, FunctionSource& function);

// ".file 1 "relu.cu"" and ".loc 1 20 3", after their first word.
void parse_file(Lexer& lexer, ModuleSource& module);
void parse_location(Lexer& lexer, ModuleSource& module);

}  // namespace sim::ptx
