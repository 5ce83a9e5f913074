// Counts components of what is left when some processes are taken out.
#include "harness/detect/blame/circles.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace gridlock::detect {
namespace {

// The first of `among` that `from` waits for, and the place; kNoIndex twice if there is none.
std::pair<Index, Index> next_of(const WaitsFor& waits, Index from,
                                const std::vector<Index>& among) {
  for (Index edge = waits.edges.first[from]; edge < waits.edges.first[from + 1]; ++edge) {
    const Index place = waits.edges.targets[edge];
    for (Index on = waits.edges.first[place]; on < waits.edges.first[place + 1]; ++on) {
      const Index to = waits.edges.targets[on];
      if (std::ranges::binary_search(among, to)) return {to, place};
    }
  }
  return {kNoIndex, kNoIndex};
}

}  // namespace

std::vector<Index> still_in_cycles(const WaitsFor& waits, const std::vector<Index>& among) {
  const auto is_left = [&](Index node) {
    return !waits.is_process(node) || std::ranges::binary_search(among, node);
  };
  Digraph left{.first = {0}, .targets = {}};
  for (Index node = 0; node + 1 < waits.edges.first.size(); ++node) {
    for (Index edge = waits.edges.first[node]; is_left(node) && edge < waits.edges.first[node + 1];
         ++edge) {
      if (is_left(waits.edges.targets[edge])) left.targets.push_back(waits.edges.targets[edge]);
    }
    left.first.push_back(static_cast<Index>(left.targets.size()));
  }
  const Components components = strong_components(left);
  std::vector<Index> size(components.count, 0);
  for (const Index of : components.of) ++size[of];
  std::vector<Index> found;
  std::ranges::copy_if(among, std::back_inserter(found),
                       [&](Index process) { return size[components.of[process]] > 1; });
  return found;
}

std::vector<Index> walk(const WaitsFor& waits, const std::vector<Index>& processes) {
  std::vector<Index> path;
  std::map<Index, std::size_t> seen;
  Index process = processes.front();
  while (seen.try_emplace(process, path.size()).second) {
    const auto [next, place] = next_of(waits, process, processes);
    path.push_back(process);
    path.push_back(waits.point_of(place));
    process = next;
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen[process]));
  return path;
}

std::vector<Index> on_every_cycle(const WaitsFor& waits, const std::vector<Index>& processes) {
  constexpr std::size_t kMost = 64;  // to look at; whoever is on every cycle is on this one
  const auto sleeps = [&](Index process) {
    return waits.involved[waits.processes + waits.points + process] && !waits.by_loop[process];
  };
  if (std::ranges::any_of(processes, sleeps)) return processes;
  const std::vector<Index> cycle = walk(waits, processes);
  std::vector<Index> found;
  for (std::size_t at = 0; at < cycle.size() && cycle.size() <= 2 * kMost; at += 2) {
    std::vector<Index> others = processes;
    std::erase(others, cycle[at]);
    if (still_in_cycles(waits, others).empty()) found.push_back(cycle[at]);
  }
  std::ranges::sort(found);
  return found.empty() ? processes : found;
}

}  // namespace gridlock::detect
