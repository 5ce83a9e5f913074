// A parsed module: the parser fills it, and the linker reads it. Names are views into the text,
// which must outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/text/types.h"

namespace sim::ptx {

enum class Linkage : std::uint8_t { kModule, kVisible, kWeak, kExtern };

// One element of an initialiser: a number, or those bytes of a symbol's address that `mask`
// selects.
struct Initial {
  std::uint64_t bits = 0;  // the number, or what is added to the address
  std::uint64_t mask = 0;  // 0: all of it
  std::string_view symbol;
};

struct VariableSource {
  std::string_view name;
  std::uint32_t line = 0;
  Space space = Space::kGlobal;
  Linkage linkage = Linkage::kModule;
  Type type = Type::kB8;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;  // 0 for an array whose length another module, or the launch, decides
  std::vector<Initial> initial;
};

struct OperandSource {
  enum class Kind : std::uint8_t {
    kNone,      // '_'
    kRegister,  // id
    kName,      // a label, a symbol or a special register
    kVariable,  // id, of the function's variables
    kLiteral,   // bits, literal
    kVector,    // {a, b}
    kPair,      // p|q
    kList,      // (a, b)
  };
  Kind kind = Kind::kNone;
  bool negated = false;      // '!'
  bool memory = false;       // in brackets
  std::uint8_t literal = 0;  // Literal::Kind
  std::uint32_t id = 0;      // register, variable, or the first of the parts
  std::uint32_t count = 0;   // of the parts
  std::int64_t offset = 0;   // name+offset, [base+offset]
  std::uint64_t bits = 0;
  std::string_view name;
};

struct Statement {
  std::string_view opcode;  // with modifiers
  std::uint32_t line = 0;
  std::uint32_t location = 0;  // index into ModuleSource::locations
  std::int32_t guard = -1;     // register
  bool guard_negated = false;
  std::uint32_t first = 0;  // operands
  std::uint32_t count = 0;
};

struct FunctionSource {
  std::string_view name;
  std::uint32_t line = 0;
  Linkage linkage = Linkage::kModule;
  bool entry = false;
  bool defined = false;
  std::vector<VariableSource> variables;  // returns, parameters, then locals of any space
  std::uint32_t returns = 0;
  std::uint32_t parameters = 0;
  std::vector<Type> registers;
  std::vector<Statement> statements;
  std::vector<OperandSource> operands;
  std::unordered_map<std::string_view, std::uint32_t> labels;  // to the statement that follows
  std::unordered_map<std::string_view, std::vector<std::string_view>> branch_targets;
};

struct Location {
  std::uint32_t file = 0;
  std::uint32_t line = 0;  // 0: unknown
};

struct ModuleSource {
  std::string_view name;
  std::vector<VariableSource> variables;
  std::vector<FunctionSource> functions;
  std::vector<Location> locations{Location{}};
  std::unordered_map<std::uint32_t, std::string> files;
};

// Throws Refused.
ModuleSource parse(std::string_view name, std::string_view text);

}  // namespace sim::ptx
