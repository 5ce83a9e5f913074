// From drafts to code: guarded calls and barriers become branches, ways get the places where they
// meet.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/ptx/operations/decoder.h"

namespace sim::ptx {

// A stretch of drafts that runs from its first to its last.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;           // inclusive
  std::vector<std::uint32_t> next;  // blocks; kExitBlock for the function's end
};
constexpr std::uint32_t kExitBlock = ~0U;

struct FlowGraph {
  std::vector<FlowBlock> blocks;
  // The nearest block that every way from a block to the end passes: kExitBlock for the end itself,
  // kNowhere where no way leads to the end.
  std::vector<std::uint32_t> post_dominator;
};
constexpr std::uint32_t kNowhere = ~0U - 1;

// `targets`: for each draft the drafts that its labels stand before.
using Targets = std::vector<std::vector<std::uint32_t>>;

// Puts a branch before each guarded draft that may block, and a return behind the last one; gives
// the targets of all. Throws Refused, naming `module`, on a label that is missing.
Targets lower(std::vector<Draft>& drafts,
              const std::unordered_map<std::string_view, std::uint32_t>& labels,
              std::string_view module);

FlowGraph flow_of(const std::vector<Draft>& drafts, const Targets& targets, bool entry);

// The code and places of `function`, whose drafts have their rows.
void emit(std::vector<Draft>& drafts, const Targets& targets, const FlowGraph& graph,
          Function& function);

}  // namespace sim::ptx
