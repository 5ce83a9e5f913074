// Decodes one statement into an instruction. An opcode takes its modifiers and operands one by one.
// Anything left over is unknown, and refused.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/state/instruction.h"
#include "sim/ptx/state/special.h"
#include "sim/ptx/text/source.h"

namespace sim::ptx {

// Where control goes after an instruction.
enum class Flow : std::uint8_t { kNext, kBranch, kTable, kReturn, kExit, kCall, kStop };

// An instruction before its registers have rows.
struct Draft {
  enum class Role : std::uint8_t { kFixed, kUse, kDefine };
  Instruction code;
  std::array<Role, kRows> role{};
  std::array<std::uint32_t, kRows> reg{};  // virtual registers
  std::int32_t guard = -1;
  Flow flow = Flow::kNext;
  bool indirect = false;                 // a call whose lanes may part
  bool splits = false;                   // may block or leave: a guard becomes a branch around it
  std::vector<std::string_view> labels;  // of a branch
  Place place;
};

// Rows of one value, shared by all instructions of a function.
class Constants {
 public:
  Row row(std::uint64_t bits, unsigned bytes);  // bytes 0: a predicate
  std::vector<std::byte> bytes() const { return bytes_; }

 private:
  std::map<std::pair<std::uint64_t, unsigned>, Row> known_;
  std::vector<std::byte> bytes_;
};

// What a name in an operand stands for.
struct Symbol {
  enum class Kind : std::uint8_t { kUnknown, kAddress, kShared, kLocal, kParameter, kFunction };
  Kind kind = Kind::kUnknown;
  std::uint64_t address = 0;  // in its space; generic for kAddress; a token for kFunction
  std::uint32_t bytes = 0;
  const Function* function = nullptr;
};

class Symbols {
 public:
  virtual ~Symbols() = default;
  virtual Symbol variable(std::uint32_t id) const = 0;  // of the function's own
  virtual Symbol named(std::string_view name) const = 0;
};

class Decoder {
 public:
  Decoder(std::string_view module, const FunctionSource& function, const Statement& statement,
          const Symbols& symbols, Constants& constants, std::vector<CallSite>& calls);

  [[noreturn]] void refuse(const std::string& why) const;

  // Modifiers.
  bool take(std::string_view modifier);
  // The index in `names` of the modifier that is present; -1 if none is.
  int take_one(std::span<const std::string_view> names);
  Type take_type();    // the next one that is a type; refuses where none is
  Space take_space();  // kGeneric where none is named
  void ignore(std::span<const std::string_view> names);
  void finish();  // refuses modifiers and operands that are left
  bool entry() const { return function_.entry; }

  // Operands, in order. Each gets the next row of the instruction.
  std::size_t operands() const { return operands_.size(); }
  void expect_operands(std::size_t least, std::size_t most);
  const OperandSource& operand(std::size_t n) const;
  std::span<const OperandSource> parts(const OperandSource& operand) const;
  Type type_of(const OperandSource& operand) const;      // of a register; kNone otherwise
  void define(const OperandSource& operand, Type type);  // '_' is fine
  void define_wide(const OperandSource& operand, unsigned least_bytes);
  void use(const OperandSource& operand, Type type);
  void use_wide(const OperandSource& operand, Type type);  // the register may be wider
  bool use_predicate(const OperandSource& operand);        // and says whether it is negated
  void use_bits(std::uint64_t bits, Type type);
  // The address in brackets: a row of 64 bits and an offset (`value`). If the opcode names no
  // space, the symbol decides it.
  void use_address(const OperandSource& operand, Space& space);
  Symbol symbol(const OperandSource& operand) const;
  void next_row(Row row);
  const std::vector<std::string_view>& branch_targets(std::string_view table) const;

  Draft draft;
  std::string_view base;  // of the opcode
  CallSite& call_site();  // a new one, its index in `extra`

 private:
  std::uint32_t slot();
  void use_register(std::uint32_t id, Draft::Role role);
  void use_symbol(const OperandSource& operand, Type type);

  std::string_view module_;
  const FunctionSource& function_;
  const Statement& statement_;
  const Symbols& symbols_;
  Constants& constants_;
  std::vector<CallSite>& calls_;
  std::vector<std::string_view> modifiers_;
  std::span<const OperandSource> operands_;
  std::uint32_t rows_ = 0;
};

using Decode = void (*)(Decoder&);

// Null if the opcode is unknown.
Decode decode_of(std::string_view opcode);

// The opcode tables of the files in this folder.
using OpcodeTable = std::span<const std::pair<std::string_view, Decode>>;
OpcodeTable integer_opcodes();
OpcodeTable bit_opcodes();
OpcodeTable float_opcodes();
OpcodeTable compare_opcodes();
OpcodeTable convert_opcodes();
OpcodeTable move_opcodes();
OpcodeTable memory_opcodes();
OpcodeTable atomic_opcodes();
OpcodeTable control_opcodes();
OpcodeTable warp_opcodes();
OpcodeTable barrier_opcodes();

}  // namespace sim::ptx
