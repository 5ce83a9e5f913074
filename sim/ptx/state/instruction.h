// A decoded instruction, and the function that it belongs to.
//
// A register is a row: one value for each of a warp's 32 lanes, side by side, in the width of its
// type. A predicate is one bit per lane. So an instruction works on whole rows, and a warp with all
// lanes active runs at the speed of the processor's vector unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/text/types.h"

namespace sim::ptx {

constexpr unsigned kLanes = 32;
using Lanes = std::uint32_t;  // one bit a lane
constexpr Lanes kAllLanes = 0xffffffffU;

struct Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&, Lanes);

// Names a row by its base (two bits) and its offset in bytes from that base.
enum class Base : std::uint32_t { kFrame, kConstants, kSpecial };
using Row = std::uint32_t;
constexpr unsigned kBaseShift = 30;
constexpr Row row_at(Base base, std::uint32_t offset) {
  return static_cast<Row>(base) << kBaseShift | offset;
}

constexpr unsigned kRows = 6;
constexpr Row kNoGuard = ~0U;

struct Function;

struct Instruction {
  Handler run = nullptr;
  Row row[kRows] = {};
  Row guard = kNoGuard;
  bool guard_negated = false;
  std::uint8_t sub = 0;    // which of an opcode's variants
  std::uint8_t flags = 0;  // the same
  std::uint8_t count = 0;  // elements of a vector
  std::int64_t value = 0;  // offset of an address; index of a branch's target
  union {
    const Function* function = nullptr;  // that is called
    const std::uint32_t* table;          // targets of brx.idx, `count32` of them
  };
  std::uint32_t extra = 0;  // entries of the table; index of a call's arguments
};

// A parameter or returned value in memory.
struct Slot {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// Where a call finds its arguments and puts its results: in the caller's local memory.
struct CallSite {
  std::vector<Slot> returns;
  std::vector<Slot> arguments;
};

struct Place {
  std::uint32_t line = 0;         // in the PTX
  std::uint32_t source_file = 0;  // of .loc
  std::uint32_t source_line = 0;  // 0: unknown
};

struct Files {
  std::string module;
  std::vector<std::string> names;  // by number
};

// Immutable once loaded.
struct Function {
  std::string name;
  bool entry = false;
  bool late =
      false;  // stands for one whose module is not loaded: nothing below is set but `number`
  std::uint32_t number = 0;                 // its address is made of it
  std::uint32_t frame_bytes = 0;            // of registers
  std::uint32_t local_bytes = 0;            // of memory, a lane
  std::uint32_t static_shared_bytes = 0;    // an entry's, with what it calls
  std::uint32_t dynamic_shared_offset = 0;  // behind the static of all kernels
  std::uint32_t parameter_bytes = 0;
  std::vector<Slot> parameters;
  std::vector<Slot> returns;
  std::vector<Instruction> code;
  std::vector<Place> places;            // one an instruction
  std::vector<std::byte> constants;     // rows
  std::byte* constants_base = nullptr;  // aligned, in the above
  std::vector<CallSite> call_sites;
  std::vector<std::vector<std::uint32_t>> tables;  // of brx.idx, by index into `code`
  const Files* files = nullptr;
};

}  // namespace sim::ptx
