// From drafts to code: guarded calls and barriers become branches, and each branch gets the place
// where its paths join.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/ptx/operations/decoder.h"

namespace sim::ptx {

// A basic block: drafts that always run from the first to the last.
struct FlowBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;           // inclusive
  std::vector<std::uint32_t> next;  // blocks; kExitBlock for the function's end
};
constexpr std::uint32_t kExitBlock = ~0U;

struct FlowGraph {
  std::vector<FlowBlock> blocks;
  // The nearest block that every path from a block to the end passes: kExitBlock for the end
  // itself, kNowhere if no path leads to the end.
  std::vector<std::uint32_t> post_dominator;
};
constexpr std::uint32_t kNowhere = ~0U - 1;

// For each draft, the drafts that its labels point to.
using Targets = std::vector<std::vector<std::uint32_t>>;

// Puts a branch before each guarded draft that may block, and a return after the last draft.
// Returns the targets of all drafts. Throws Refused, naming `module`, if a label is missing.
Targets lower(std::vector<Draft>& drafts,
              const std::unordered_map<std::string_view, std::uint32_t>& labels,
              std::string_view module);

FlowGraph flow_of(const std::vector<Draft>& drafts, const Targets& targets, bool entry);

// Fills in the code and places of `function`. Its drafts must have their rows.
void emit(std::vector<Draft>& drafts, const Targets& targets, const FlowGraph& graph,
          Function& function);

}  // namespace sim::ptx
