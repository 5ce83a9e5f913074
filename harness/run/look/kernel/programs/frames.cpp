// elfutils' libdw reads the tables; the registers come from the stack, as far as calls have saved
// them there.
#include "harness/run/look/kernel/programs/frames.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace gridlock::run {
namespace {

using Address = std::uint64_t;
using Known = std::optional<std::uint64_t>;

// Numbers of x86-64's registers in these tables.
constexpr std::size_t kStackPointer = 7;
constexpr std::size_t kInstruction = 16;
constexpr std::size_t kRegisters = 17;
constexpr std::array<std::size_t, 6> kKeptByCalls{3, 6, 12, 13, 14, 15};

struct Free {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};
using Frame = std::unique_ptr<Dwarf_Frame, Free>;

// The frame of the function at this place in the code; null if its file does not say.
Frame frame_at(const Code& code, Address address) {
  const ElfFile* file = file_of(code);
  if (file == nullptr || file->frames() == nullptr) return nullptr;
  const Known own = file->address_of(address - code.begin + code.offset);
  Dwarf_Frame* frame = nullptr;
  if (!own || dwarf_cfi_addrframe(file->frames(), *own, &frame) != 0) return nullptr;
  return Frame(frame);
}

class Chain {
 public:
  Chain(const StackWords& stack, Address instruction) : stack_(stack) {
    registers_[kStackPointer] = stack.pointer;
    registers_[kInstruction] = instruction;
  }

  Address instruction() const { return *registers_[kInstruction]; }
  Address stack_pointer() const { return *registers_[kStackPointer]; }
  bool is_at_end() const { return is_at_end_; }

  // Goes on to the caller, or to the end; false if that cannot be told.
  bool leave(Dwarf_Frame* frame) {
    bool is_handler = false;
    if (dwarf_frame_info(frame, nullptr, nullptr, &is_handler) < 0 || is_handler) return false;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0) return false;
    const Known base = evaluate({operations, count}, {});
    // A caller's frame lies behind.
    if (!base || *base <= *registers_[kStackPointer]) return false;
    std::array<Known, kRegisters> callers{};
    for (const std::size_t kept : kKeptByCalls)
      callers[kept] = callers_register(frame, kept, *base);
    is_at_end_ = ends_here(frame);
    callers[kInstruction] = is_at_end_ ? 0 : callers_register(frame, kInstruction, *base);
    callers[kStackPointer] = base;
    registers_ = callers;
    return registers_[kInstruction].has_value();
  }

 private:
  using Operations = std::span<const Dwarf_Op>;

  // What the frame says of where its caller's register is.
  struct Rule {
    bool is_unchanged = false;  // the function did not touch it
    bool is_lost = false;       // it is nowhere, or the caller has none
    Operations operations;
    std::array<Dwarf_Op, 3> memory{};
  };
  static void read(Dwarf_Frame* frame, int number, Rule& rule) {
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, number, rule.memory.data(), &operations, &count) != 0) return;
    rule.is_unchanged = count == 0 && operations == nullptr;
    rule.is_lost = count == 0 && operations != nullptr;
    rule.operations = {operations, count};
  }

  // Nothing has called the thread's first function: it returns to no address.
  static bool ends_here(Dwarf_Frame* frame) {
    Rule rule;
    read(frame, static_cast<int>(kInstruction), rule);
    return rule.is_lost;
  }

  Known callers_register(Dwarf_Frame* frame, std::size_t number, Address base) const {
    Rule rule;
    read(frame, static_cast<int>(number), rule);
    if (rule.is_unchanged) return registers_[number];
    if (rule.operations.empty()) return {};
    if (rule.operations.back().atom == DW_OP_stack_value) {
      return evaluate(rule.operations.first(rule.operations.size() - 1), base);
    }
    return at(evaluate(rule.operations, base));
  }

  // What compilers write: a register or the frame's base, and a distance.
  Known evaluate(Operations operations, Known base) const {
    Known value;
    for (const Dwarf_Op& operation : operations) {
      if (operation.atom == DW_OP_bregx) {
        value = sum(register_at(operation.number), operation.number2);
      } else if (operation.atom >= DW_OP_breg0 && operation.atom <= DW_OP_breg31) {
        value = sum(register_at(operation.atom - DW_OP_breg0), operation.number);
      } else if (operation.atom == DW_OP_call_frame_cfa) {
        value = base;
      } else if (operation.atom == DW_OP_plus_uconst) {
        value = sum(value, operation.number);
      } else if (operation.atom == DW_OP_deref) {
        value = at(value);
      } else {
        return {};
      }
    }
    return value;
  }

  Known register_at(std::uint64_t number) const {
    return number < kRegisters ? registers_[number] : Known();
  }
  static Known sum(Known value, std::uint64_t distance) {
    return value ? Known(*value + distance) : Known();
  }
  // The word there on the stack.
  Known at(Known address) const {
    if (!address || *address < stack_.pointer || (*address - stack_.pointer) % sizeof(Address) != 0)
      return {};
    const std::uint64_t index = (*address - stack_.pointer) / sizeof(Address);
    return index < stack_.words.size() ? Known(stack_.words[index]) : Known();
  }

  StackWords stack_;
  std::array<Known, kRegisters> registers_{};
  bool is_at_end_ = false;
};

const Code* find(std::span<const Code> code, Address address) {
  const auto behind = std::upper_bound(code.begin(), code.end(), address,
                                       [](Address at, const Code& one) { return at < one.begin; });
  if (behind == code.begin() || address >= std::prev(behind)->end) return nullptr;
  return &*std::prev(behind);
}

}  // namespace

std::optional<CallChain> call_chain(const StackWords& stack, std::uint64_t instruction,
                                    std::span<const Code> code) {
#if defined(__x86_64__)
  Chain chain(stack, instruction);
  CallChain calls;
  while (!chain.is_at_end()) {
    const Address address = chain.instruction();
    // What a call returns to may belong to the function behind; the call does not.
    const Address inside = address - (calls.addresses.empty() ? 0 : 1);
    calls.addresses.push_back(address);
    const Code* where = find(code, inside);
    if (where == nullptr) return {};
    const Frame frame = frame_at(*where, inside);
    if (!frame || !chain.leave(frame.get())) return {};
  }
  calls.end = chain.stack_pointer();
  return calls;
#else
  return {};
#endif
}

}  // namespace gridlock::run
