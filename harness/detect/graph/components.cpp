// Strongly connected components of a directed graph in flat arrays.
#include "harness/detect/graph/components.h"

#include <algorithm>

namespace gridlock::detect {

Components strong_components(const Digraph& graph) {
  constexpr std::uint32_t kUnseen = 0xffffffff;
  const auto nodes = static_cast<std::uint32_t>(graph.first.size() - 1);
  Components result{.of = std::vector<std::uint32_t>(nodes, kUnseen)};
  std::vector<std::uint32_t> number(nodes, kUnseen);
  std::vector<std::uint32_t> low(nodes, 0);
  std::vector<std::uint32_t> next(graph.first.begin(), graph.first.end() - 1);
  std::vector<std::uint32_t> path;     // from the root of the search to the current node
  std::vector<std::uint32_t> pending;  // seen, component not yet known
  std::uint32_t count = 0;
  for (std::uint32_t start = 0; start < nodes; ++start) {
    if (number[start] != kUnseen) continue;
    path.push_back(start);
    while (!path.empty()) {
      const std::uint32_t node = path.back();
      if (number[node] == kUnseen) {
        number[node] = low[node] = count++;
        pending.push_back(node);
      }
      if (next[node] < graph.first[node + 1]) {
        const std::uint32_t target = graph.targets[next[node]++];
        if (number[target] == kUnseen) {
          path.push_back(target);
        } else if (result.of[target] == kUnseen) {
          low[node] = std::min(low[node], number[target]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[node]);
      if (low[node] != number[node]) continue;
      std::uint32_t member = kUnseen;
      do {
        member = pending.back();
        pending.pop_back();
        result.of[member] = result.count;
      } while (member != node);
      ++result.count;
    }
  }
  return result;
}

}  // namespace gridlock::detect
