// The state of a running warp: plain data that instructions read and change.
//
// Lanes that took different paths form groups. A group knows where it is (next), which call it is
// in (frame) and where it must rejoin others (join). Each lane has its own column of every row, so
// groups of one warp share rows without touching each other's values.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/ptx/state/instruction.h"
#include "sim/ptx/state/memory.h"

namespace sim::ptx {

// A call: what a group returns to.
struct Frame {
  const Function* function = nullptr;
  const Instruction* back = nullptr;  // in the caller, behind the call
  const Instruction* call = nullptr;
  std::shared_ptr<Frame> caller;
  std::uint32_t registers = 0;  // bytes from the first row of the warp
  std::uint32_t local = 0;      // the frame's first address in local memory
  std::uint32_t depth = 0;
};

// Where lanes that split rejoin: the branch's nearest post-dominator. kAtReturn: when all return.
struct Join {
  static constexpr std::uint32_t kAtReturn = ~0U;
  std::uint32_t at = 0;  // index of the instruction
  const Frame* frame = nullptr;
  Lanes expected = 0;
  std::shared_ptr<Join> outer;
};

struct Group {
  enum class State : std::uint8_t { kReady, kAtJoin, kAtBarrier, kAtWarp, kAsleep };
  State state = State::kReady;
  Lanes lanes = 0;
  const Instruction* next = nullptr;
  std::shared_ptr<Frame> frame;
  std::shared_ptr<Join> join;
  Lanes members = 0;         // kAtWarp: whom it waits for
  std::uint8_t barrier = 0;  // kAtBarrier
  std::int64_t wake = 0;     // kAsleep: until then, in nanoseconds
  std::uint32_t waited = 0;  // kAtJoin: turns of the warp since
  // A loop that reads the same again and changes nothing spins.
  std::uint64_t seen = 0;  // what was read since the last backward branch
  std::uint64_t seen_before = 0;
  bool polled = false;
  bool acted = false;
  std::uint32_t spins = 0;
};

enum class FaultKind : std::uint8_t {
  kIllegalAddress,
  kMisalignedAddress,
  kTrap,
  kAssert,
  kIllegalInstruction,
  kStackOverflow
};

struct Fault {
  FaultKind kind = FaultKind::kTrap;
  const Function* function = nullptr;
  std::uint32_t index = 0;  // of the instruction
  unsigned lane = 0;
  std::uint64_t address = 0;
  std::string detail;
};

struct Block;

constexpr std::uint32_t kRegisterBytes = 4U << 20;  // of a warp: all its frames
constexpr std::uint32_t kMostDepth = 512;           // of calls
constexpr std::uint32_t kSpecialRows = 40;

struct Warp {
  std::byte* base[3] = {};  // by Base
  const Instruction* next = nullptr;
  Lanes lanes = 0;
  bool stop = false;  // the group cannot go on at once: the scheduler's turn
  Group* group = nullptr;
  Block* block = nullptr;

  Lanes alive = 0;
  unsigned number = 0;  // in its block
  std::vector<std::unique_ptr<Group>> groups;
  std::size_t turn = 0;       // whose turn it is among them
  std::uint32_t stalled = 0;  // turns without progress
  std::uint64_t executed = 0;

  std::byte* registers = nullptr;
  std::byte* local = nullptr;  // local_bytes for each lane
  std::uint32_t local_bytes = 0;
  std::unique_ptr<Fault> fault;

  // The values that lanes have brought to a vote or shuffle.
  std::array<std::uint64_t, kLanes> brought{};
  std::array<std::uint32_t, kLanes> brought_b{}, brought_c{};
  Lanes brought_predicate = 0;

  // Recently found memory ranges, by the instruction that asked.
  static constexpr std::size_t kRemembered = 16;
  std::array<Memory::Range, kRemembered> remembered{};
  std::uint64_t generation = 0;

  alignas(64) std::array<std::array<std::byte, std::size_t{kLanes} * 8>, kSpecialRows> special{};
};

struct Barrier {
  std::uint32_t expected = 0;  // threads; 0: all that are alive
  bool used = false;
  std::vector<Lanes> arrived;  // by warp
  std::uint32_t count = 0;     // of predicates that were true
  bool all = true;
};

struct Launched;
class LateFunctions;

constexpr unsigned kBarriers = 16;

struct Block {
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, kBarriers> barriers;
  std::byte* shared = nullptr;
  std::uint32_t shared_bytes = 0;
  std::uint32_t index[3] = {};
  std::uint32_t alive = 0;  // warps
  Launched* launched = nullptr;
};

// What the blocks of a launch share.
struct Launched {
  const Function* kernel = nullptr;
  const std::vector<const Function*>* functions = nullptr;  // by number; null where there is none
  const LateFunctions* late = nullptr;
  const Memory* memory = nullptr;
  const Memory* globals = nullptr;
  const std::byte* parameters = nullptr;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::uint64_t number = 0;
};

}  // namespace sim::ptx
