// elfutils' libdw reads the tables; the registers come from the stack, as far as calls have saved
// them there.
#include "harness/run/look/kernel/programs/frames.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {
namespace {

using Address = std::uint64_t;
using Known = std::optional<std::uint64_t>;

// Numbers of x86-64's registers in these tables.
constexpr std::size_t kStackPointer = 7;
constexpr std::size_t kInstruction = 16;
constexpr std::size_t kRegisters = 17;
constexpr std::array<std::size_t, 6> kKeptByCalls{3, 6, 12, 13, 14, 15};

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndTables {
  void operator()(Dwarf_CFI* tables) const { dwarf_cfi_end(tables); }
};
struct Free {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};
using Frame = std::unique_ptr<Dwarf_Frame, Free>;

// What a file is, and when somebody last wrote to it: who builds a library again may write over it.
struct Version {
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  auto operator<=>(const Version&) const = default;
};

std::optional<Version> version_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return Version{.inode = status.st_ino,
                 .size = status.st_size,
                 .seconds = status.st_mtim.tv_sec,
                 .nanoseconds = status.st_mtim.tv_nsec};
}

// A file's tables.
class FrameTables {
 public:
  explicit FrameTables(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!file_.is_open()) return;
    elf_version(EV_CURRENT);
    // What is read into memory stays if the file is cut short.
    elf_.reset(elf_begin(file_.get(), ELF_C_READ, nullptr));
    if (elf_) tables_.reset(dwarf_getcfi_elf(elf_.get()));
  }

  // The frame of the function at this place in the file; null if the file does not say.
  Frame frame_at(std::uint64_t offset) const {
    Dwarf_Frame* frame = nullptr;
    const std::optional<Address> address = address_of(offset);
    if (!tables_ || !address) return nullptr;
    if (dwarf_cfi_addrframe(tables_.get(), *address, &frame) != 0) return nullptr;
    return Frame(frame);
  }

 private:
  // As the file's own tables count.
  std::optional<Address> address_of(std::uint64_t offset) const {
    std::size_t headers = 0;
    if (elf_getphdrnum(elf_.get(), &headers) != 0) return {};
    for (std::size_t index = 0; index < headers; ++index) {
      GElf_Phdr header{};
      if (gelf_getphdr(elf_.get(), static_cast<int>(index), &header) == nullptr) return {};
      const bool holds = header.p_type == PT_LOAD && offset >= header.p_offset &&
                         offset - header.p_offset < header.p_filesz;
      if (holds) return header.p_vaddr + (offset - header.p_offset);
    }
    return {};
  }

  FileDescriptor file_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::unique_ptr<Dwarf_CFI, EndTables> tables_;
};

// They stay open for the agent's life. Null if the file is not what is mapped.
const FrameTables* tables_of(const Code& code) {
  struct Opened {
    Version version;
    std::unique_ptr<FrameTables> tables;
  };
  thread_local std::map<std::string, Opened> all;
  const std::optional<Version> now = version_of(code.path);
  if (!now || now->inode != code.inode) return nullptr;
  Opened& opened = all[code.path];
  if (!opened.tables || opened.version != *now) {
    opened = {.version = *now, .tables = std::make_unique<FrameTables>(code.path)};
    // Who has written meanwhile may have left tables of two versions.
    if (version_of(code.path) != now) opened.version = {};
  }
  return opened.version == *now ? opened.tables.get() : nullptr;
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
    const FrameTables* tables = tables_of(*where);
    if (tables == nullptr) return {};
    const Frame frame = tables->frame_at(inside - where->begin + where->offset);
    if (!frame || !chain.leave(frame.get())) return {};
  }
  calls.end = chain.stack_pointer();
  return calls;
#else
  return {};
#endif
}

}  // namespace gridlock::run
