// Puts failures and positions into words.
#include "sim/ptx/run/positions.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "sim/ptx/operations/control.h"

namespace sim::ptx {
namespace {

std::string source_of(const Function& function, const Place& place) {
  if (place.source_line == 0 || function.files == nullptr) return {};
  const auto& names = function.files->names;
  const std::string file = place.source_file < names.size() ? names[place.source_file] : "";
  return file.empty() ? std::string() : file + ":" + std::to_string(place.source_line);
}

std::string what(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalAddress:
      return "illegal address";
    case FaultKind::kMisalignedAddress:
      return "misaligned address";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kAssert:
      return "assertion failed";
    case FaultKind::kIllegalInstruction:
      return "illegal instruction";
    case FaultKind::kStackOverflow:
      return "stack overflow";
  }
  return {};
}

std::string triple(const std::uint32_t (&of)[3]) {
  return "(" + std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]) +
         ")";
}

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Position::State state_of(const Group& group) {
  switch (group.state) {
    case Group::State::kAtJoin:
      return Position::State::kAtJoin;
    case Group::State::kAtBarrier:
      return Position::State::kAtBarrier;
    case Group::State::kAtWarp:
      return Position::State::kAwaitsLanes;
    case Group::State::kAsleep:
      return Position::State::kAsleep;
    default:
      return group.spins >= kSpinning ? Position::State::kSpinning : Position::State::kRunning;
  }
}

}  // namespace

Failure failure_of(const Warp& warp) {
  const Fault& fault = *warp.fault;
  const Launched& launched = *warp.block->launched;
  const Place& place = fault.function->places[fault.index];
  Failure failure;
  failure.kind = fault.kind;
  failure.kernel = launched.kernel->name;
  failure.function = fault.function->name;
  std::copy_n(warp.block->index, 3, failure.block);
  const std::uint32_t thread = warp.number * kLanes + fault.lane;
  failure.thread[0] = thread % launched.block[0];
  failure.thread[1] = thread / launched.block[0] % launched.block[1];
  failure.thread[2] = thread / launched.block[0] / launched.block[1];
  failure.line = place.line;
  failure.module = fault.function->files->module;
  failure.source = source_of(*fault.function, place);
  failure.address = fault.address;
  failure.sentence = what(fault.kind);
  if (fault.kind == FaultKind::kIllegalAddress || fault.kind == FaultKind::kMisalignedAddress)
    failure.sentence += " " + hex(fault.address);
  if (!fault.detail.empty()) failure.sentence += " (" + fault.detail + ")";
  failure.sentence += " in kernel " + failure.kernel + ", block " + triple(failure.block) +
                      ", thread " + triple(failure.thread);
  if (failure.function != failure.kernel) failure.sentence += ", function " + failure.function;
  failure.sentence += ", at " + failure.module + ":" + std::to_string(failure.line);
  if (!failure.source.empty()) failure.sentence += " (" + failure.source + ")";
  return failure;
}

void append_positions(const Block& block, std::vector<Position>& positions) {
  for (const auto& warp : block.warps) {
    for (const auto& group : warp->groups) {
      const Function& function = *group->frame->function;
      const Place& place =
          function.places[static_cast<std::size_t>(group->next - function.code.data())];
      Position position;
      position.state = state_of(*group);
      std::copy_n(block.index, 3, position.block);
      position.warp = warp->number;
      position.lanes = group->lanes;
      position.function = function.name;
      position.line = place.line;
      position.source = source_of(function, place);
      if (group->state == Group::State::kAtBarrier) {
        const Barrier& barrier = block.barriers[group->barrier];
        position.barrier = group->barrier;
        position.expected = barrier.expected;
        for (const Lanes lanes : barrier.arrived)
          position.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
      }
      if (group->state == Group::State::kAtWarp)
        position.awaited = group->members & warp->alive & ~group->lanes;
      positions.push_back(std::move(position));
    }
  }
}

std::string describe(const Position& p) {
  std::string text = "block " + triple(p.block) + " warp " + std::to_string(p.warp) + " lanes " +
                     hex(p.lanes) + ": ";
  switch (p.state) {
    case Position::State::kRunning:
      text += "runs";
      break;
    case Position::State::kSpinning:
      text += "spins";
      break;
    case Position::State::kAtBarrier:
      text += "waits at barrier " + std::to_string(p.barrier) + ", " + std::to_string(p.arrived) +
              " threads have come of " + (p.expected == 0 ? "all" : std::to_string(p.expected));
      break;
    case Position::State::kAwaitsLanes:
      text += "waits for lanes " + hex(p.awaited);
      break;
    case Position::State::kAtJoin:
      text += "waits for its other lanes";
      break;
    case Position::State::kAsleep:
      text += "sleeps";
      break;
  }
  text += " in " + p.function + ", line " + std::to_string(p.line);
  if (!p.source.empty()) text += " (" + p.source + ")";
  return text;
}

}  // namespace sim::ptx
