// Checks a statement's modifiers and operands, and assigns their rows.
#include "sim/ptx/operations/decoder.h"

#include <bit>
#include <cstring>
#include <unordered_map>

#include "sim/ptx/state/address.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {
namespace {

std::vector<std::string_view> split(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = opcode.find('.');
    parts.push_back(opcode.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    opcode.remove_prefix(dot + 1);
  }
}

// A literal as the bits of a value of `type`.
std::uint64_t literal_bits(const OperandSource& operand, Type type) {
  const auto kind = static_cast<Literal::Kind>(operand.literal);
  if (kind == Literal::Kind::kInteger) {
    if (type == Type::kF32) {
      return std::bit_cast<std::uint32_t>(
          static_cast<float>(static_cast<std::int64_t>(operand.bits)));
    }
    if (type == Type::kF64) {
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(static_cast<std::int64_t>(operand.bits)));
    }
    return operand.bits;
  }
  if (kind == Literal::Kind::kDouble && bytes_of(type) == 4) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  }
  if (kind == Literal::Kind::kFloat && bytes_of(type) == 8) {
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
  }
  return operand.bits;
}

}  // namespace

Row Constants::row(std::uint64_t bits, unsigned bytes) {
  if (bytes == 0)
    bits = bits != 0 ? kAllLanes : 0;
  else if (bytes < 8)
    bits &= (1ULL << (8 * bytes)) - 1;
  const auto [known, is_new] = known_.try_emplace({bits, bytes}, 0);
  if (!is_new) return known->second;
  const std::size_t offset = bytes_.size();
  const std::size_t size = bytes == 0 ? 64 : std::size_t{kLanes} * bytes;
  bytes_.resize(offset + size);
  const unsigned width = bytes == 0 ? 4 : bytes;
  for (std::size_t at = offset; at < offset + size; at += width) {
    std::memcpy(&bytes_[at], &bits, width);
  }
  known->second = row_at(Base::kConstants, static_cast<std::uint32_t>(offset));
  return known->second;
}

Decoder::Decoder(std::string_view module, const FunctionSource& function,
                 const Statement& statement, const Symbols& symbols, Constants& constants,
                 std::vector<CallSite>& calls)
    : module_(module),
      function_(function),
      statement_(statement),
      symbols_(symbols),
      constants_(constants),
      calls_(calls),
      modifiers_(split(statement.opcode)),
      operands_(std::span(function.operands).subspan(statement.first, statement.count)) {
  base = modifiers_.front();
  modifiers_.erase(modifiers_.begin());
  draft.guard = statement.guard;
  draft.code.guard_negated = statement.guard_negated;
}

void Decoder::refuse(const std::string& why) const {
  throw Refused(std::string(module_) + ":" + std::to_string(statement_.line) + ": " +
                std::string(statement_.opcode) + ": " + why);
}

bool Decoder::take(std::string_view modifier) {
  for (auto part = modifiers_.begin(); part != modifiers_.end(); ++part) {
    if (*part != modifier) continue;
    modifiers_.erase(part);
    return true;
  }
  return false;
}

int Decoder::take_one(std::span<const std::string_view> names) {
  for (auto part = modifiers_.begin(); part != modifiers_.end(); ++part) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (*part != names[i]) continue;
      modifiers_.erase(part);
      return static_cast<int>(i);
    }
  }
  return -1;
}

Type Decoder::take_type() {
  for (auto part = modifiers_.begin(); part != modifiers_.end(); ++part) {
    const Type type = type_named(*part);
    if (type == Type::kNone) continue;
    modifiers_.erase(part);
    return type;
  }
  refuse("no type that is known");
}

Space Decoder::take_space() {
  if (take("global")) return Space::kGlobal;
  if (take("shared") || take("shared::cta")) return Space::kShared;
  if (take("local")) return Space::kLocal;
  if (take("param") || take("param::entry") || take("param::func")) return Space::kParam;
  if (take("const")) return Space::kConst;
  return Space::kGeneric;
}

void Decoder::ignore(std::span<const std::string_view> names) {
  while (take_one(names) >= 0) {
  }
}

void Decoder::finish() {
  if (!modifiers_.empty()) {
    refuse("'." + std::string(modifiers_.front()) + "' is not known here");
  }
}

void Decoder::expect_operands(std::size_t least, std::size_t most) {
  if (operands_.size() < least || operands_.size() > most) {
    refuse("has " + std::to_string(operands_.size()) + " operands");
  }
}

const OperandSource& Decoder::operand(std::size_t n) const {
  if (n >= operands_.size()) refuse("has too few operands");
  return operands_[n];
}

std::span<const OperandSource> Decoder::parts(const OperandSource& operand) const {
  return std::span(function_.operands).subspan(operand.id, operand.count);
}

Type Decoder::type_of(const OperandSource& operand) const {
  return operand.kind == OperandSource::Kind::kRegister && !operand.memory
             ? function_.registers[operand.id]
             : Type::kNone;
}

std::uint32_t Decoder::slot() {
  if (rows_ >= kRows) refuse("has too many operands");
  return rows_++;
}

void Decoder::next_row(Row row) { draft.code.row[slot()] = row; }

void Decoder::use_register(std::uint32_t id, Draft::Role role) {
  const std::uint32_t at = slot();
  draft.role[at] = role;
  draft.reg[at] = id;
}

void Decoder::define(const OperandSource& operand, Type type) {
  if (operand.kind == OperandSource::Kind::kNone) {
    return next_row(row_at(Base::kSpecial, static_cast<std::uint32_t>(Special::kSink) * 256));
  }
  const Type is = type_of(operand);
  if (is == Type::kNone) refuse("its result is no register");
  if (bytes_of(is) != bytes_of(type)) refuse("its result has not the size of its type");
  use_register(operand.id, Draft::Role::kDefine);
}

void Decoder::define_wide(const OperandSource& operand, unsigned least_bytes) {
  const Type is = type_of(operand);
  if (operand.kind != OperandSource::Kind::kNone && bytes_of(is) < least_bytes) {
    refuse("its result is no register that is large enough");
  }
  define(operand, operand.kind == OperandSource::Kind::kNone ? Type::kB64 : is);
}

void Decoder::use(const OperandSource& operand, Type type) {
  using Kind = OperandSource::Kind;
  if (operand.memory || operand.negated ||
      (operand.offset != 0 && operand.kind == Kind::kRegister)) {
    refuse("an operand is written in a way that does not fit here");
  }
  switch (operand.kind) {
    case Kind::kRegister:
      if (bytes_of(function_.registers[operand.id]) != bytes_of(type)) {
        refuse("an operand has not the size of its type");
      }
      return use_register(operand.id, Draft::Role::kUse);
    case Kind::kLiteral:
      return use_bits(literal_bits(operand, type), type);
    case Kind::kName:
    case Kind::kVariable:
      return use_symbol(operand, type);
    default:
      refuse("an operand is of a kind that does not fit here");
  }
}

void Decoder::use_wide(const OperandSource& operand, Type type) {
  const Type is = type_of(operand);
  if (is != Type::kNone && is != Type::kPred && bytes_of(is) > bytes_of(type)) {
    return use(operand, is);
  }
  if (is == Type::kNone && bytes_of(type) == 1) return use(operand, Type::kB16);
  use(operand, type);
}

bool Decoder::use_predicate(const OperandSource& operand) {
  OperandSource plain = operand;
  plain.negated = false;
  use(plain, Type::kPred);
  return operand.negated;
}

void Decoder::use_bits(std::uint64_t bits, Type type) {
  next_row(constants_.row(bits, bytes_of(type)));
}

Symbol Decoder::symbol(const OperandSource& operand) const {
  Symbol symbol;
  if (operand.kind == OperandSource::Kind::kVariable) symbol = symbols_.variable(operand.id);
  if (operand.kind == OperandSource::Kind::kName) symbol = symbols_.named(operand.name);
  if (symbol.kind == Symbol::Kind::kUnknown) {
    refuse("nothing is called '" + std::string(operand.name) + "'");
  }
  symbol.address += static_cast<std::uint64_t>(operand.offset);
  return symbol;
}

void Decoder::use_symbol(const OperandSource& operand, Type type) {
  Special special{};
  Type reads{};
  if (operand.kind == OperandSource::Kind::kName && special_named(operand.name, special, reads)) {
    if (bytes_of(reads) != bytes_of(type))
      refuse("a special register has not the size of its type");
    return next_row(row_at(Base::kSpecial, static_cast<std::uint32_t>(special) * 256));
  }
  if (operand.name.starts_with('%')) {
    refuse("no register is called '" + std::string(operand.name) + "'");
  }
  const Symbol found = symbol(operand);
  if (bytes_of(type) < 4 || (bytes_of(type) == 4 && found.kind != Symbol::Kind::kShared)) {
    refuse("an address is larger than the operand");
  }
  if (found.kind == Symbol::Kind::kLocal) refuse("the address of a local is not taken here");
  use_bits(found.address, type);
}

void Decoder::use_address(const OperandSource& operand, Space& space) {
  using Kind = OperandSource::Kind;
  if (!operand.memory || operand.negated) refuse("its address is not in brackets");
  draft.code.value = operand.offset;
  OperandSource plain = operand;
  plain.memory = false;
  plain.offset = 0;
  if (operand.kind == Kind::kRegister) {
    const Type is = function_.registers[operand.id];
    if (space == Space::kParam && !entry()) space = Space::kLocal;
    if (bytes_of(is) != 8) {
      if (bytes_of(is) != 4 || space != Space::kShared) refuse("an address has 64 bits");
      draft.code.flags |= 0x80;  // a 32-bit address of shared memory
    }
    return use_register(operand.id, Draft::Role::kUse);
  }
  if (operand.kind == Kind::kLiteral) {
    draft.code.value = 0;
    return use_bits(operand.bits, Type::kB64);
  }
  const Symbol found = symbol(plain);
  const bool generic = space == Space::kGeneric;
  switch (found.kind) {
    case Symbol::Kind::kLocal:
      if (space != Space::kParam && space != Space::kLocal && !generic)
        refuse("the symbol lies in another space");
      space = Space::kLocal;
      draft.code.value += static_cast<std::int64_t>(found.address);
      return next_row(
          row_at(Base::kSpecial, static_cast<std::uint32_t>(Special::kFrameLocal) * 256));
    case Symbol::Kind::kShared:
      if (space != Space::kShared && !generic) refuse("the symbol lies in another space");
      space = Space::kShared;
      break;
    case Symbol::Kind::kParameter:
      if (space != Space::kParam && !generic) refuse("the symbol lies in another space");
      space = Space::kParam;
      break;
    default:
      if (space != Space::kGlobal && space != Space::kConst && !generic)
        refuse("the symbol lies in another space");
      break;
  }
  use_bits(found.address, Type::kB64);
}

const std::vector<std::string_view>& Decoder::branch_targets(std::string_view table) const {
  const auto found = function_.branch_targets.find(table);
  if (found == function_.branch_targets.end()) refuse("its table of targets is missing");
  return found->second;
}

CallSite& Decoder::call_site() {
  draft.code.extra = static_cast<std::uint32_t>(calls_.size());
  return calls_.emplace_back();
}

Decode decode_of(std::string_view opcode) {
  static const auto* const kAll = [] {
    auto* all = new std::unordered_map<std::string_view, Decode>;
    for (const OpcodeTable table :
         {integer_opcodes(), bit_opcodes(), float_opcodes(), compare_opcodes(), convert_opcodes(),
          move_opcodes(), memory_opcodes(), atomic_opcodes(), control_opcodes(), warp_opcodes(),
          barrier_opcodes()}) {
      for (const auto& [name, decode] : table) (*all)[name] = decode;
    }
    return all;
  }();
  const auto found = kAll->find(opcode);
  return found == kAll->end() ? nullptr : found->second;
}

}  // namespace sim::ptx
