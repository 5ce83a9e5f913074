// PTX on the CPU: what a simulated CUDA launches through.
//
//   Memory memory;  // what device code may touch; its owner keeps it up to date
//   Program program({{"relu", text}});  // throws Refused
//   Launch launch{.kernel = program.kernel("relu"), …};
//   Execution execution(program, memory, launch);
//   Outcome outcome = execution.run(stop);
//
// Nothing here knows CUDA's API. docs/ptx.md says what is covered.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "sim/ptx/load/program.h"
#include "sim/ptx/state/memory.h"
#include "sim/ptx/state/warp.h"

namespace sim::ptx {

struct Launch {
  const Function* kernel = nullptr;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared = 0;       // bytes, besides what the kernel declares
  std::span<const std::byte> parameters;  // as the kernel lays them out (parameters of Function)
  std::uint32_t resident_blocks = 64;     // that run side by side; the others wait
  std::uint32_t stack_bytes = 16 << 10;   // local memory of a lane for what the kernel calls
};

// Why a launch ended early.
struct Failure {
  FaultKind kind = FaultKind::kTrap;
  std::string kernel;
  std::string function;  // in which it happened
  std::uint32_t block[3] = {};
  std::uint32_t thread[3] = {};
  std::uint32_t line = 0;  // of the PTX module
  std::string module;
  std::string source;         // file:line, where the module knows
  std::uint64_t address = 0;  // of an access
  std::string sentence;       // all of it
};

struct Outcome {
  enum class Kind : std::uint8_t { kCompleted, kStopped, kFailed };
  Kind kind = Kind::kCompleted;
  std::optional<Failure> failure;
  std::uint64_t warp_instructions = 0;
};

// Where a group of lanes is.
struct Position {
  enum class State : std::uint8_t {
    kRunning,
    kSpinning,
    kAtBarrier,
    kAwaitsLanes,
    kAtJoin,
    kAsleep
  };
  State state = State::kRunning;
  std::uint32_t block[3] = {};
  unsigned warp = 0;
  Lanes lanes = 0;
  std::string function;
  std::uint32_t line = 0;
  std::string source;
  unsigned barrier = 0;        // kAtBarrier: its number,
  std::uint32_t arrived = 0;   // threads that have come
  std::uint32_t expected = 0;  // and that are awaited; 0: all of the block
  Lanes awaited = 0;           // kAwaitsLanes
};
std::string describe(const Position& position);

class Execution {
 public:
  // `program` and `memory` must outlive it; parameters are copied. Throws Refused if the launch is
  // invalid: no such kernel, no threads or more than 1024, parameters of the wrong size.
  Execution(const Program& program, const Memory& memory, const Launch& launch);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  //   Blocks  until all blocks have ended, one has failed, or `stop` asks. Called once.
  Outcome run(const std::stop_token& stop);

  // Where each warp of the resident blocks is. Any thread may call it. Empty before and after the
  // run.
  //   Blocks  for one turn of the run, a few milliseconds at most
  std::vector<Position> positions();

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace sim::ptx
