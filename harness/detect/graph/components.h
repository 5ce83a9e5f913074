// Strongly connected components of a directed graph in flat arrays.
#pragma once

#include <cstdint>
#include <vector>

namespace gridlock::detect {

struct Digraph {
  std::vector<std::uint32_t> first;  // of a node's targets; one more as an end
  std::vector<std::uint32_t> targets;
};

struct Components {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of;  // each node's component, which comes after all it leads to
};

// Source: Tarjan 1972, with an explicit stack, because a chain of waits may be as long as the job
// has ranks.
Components strong_components(const Digraph& graph);

}  // namespace gridlock::detect
