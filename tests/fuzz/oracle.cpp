// Explores the machine's states.
#include "tests/fuzz/oracle.h"

#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "tests/fuzz/machine.h"

namespace gridlock::fuzz {
namespace {

// All ends that can be reached; nothing if there are more than `bound` states.
std::optional<std::vector<Machine::State>> all_ends(const Machine& machine, std::size_t bound,
                                                    std::size_t& visited) {
  std::unordered_set<Machine::State> known{machine.start()};
  std::vector<Machine::State> open{machine.start()};
  std::vector<Machine::State> ends;
  while (!open.empty()) {
    const Machine::State state = std::move(open.back());
    open.pop_back();
    const std::vector<Machine::State> next = machine.successors(state);
    if (next.empty()) ends.push_back(state);
    for (const Machine::State& successor : next) {
      if (known.insert(successor).second) open.push_back(successor);
    }
    visited = known.size();
    if (visited > bound) return std::nullopt;
  }
  return ends;
}

Machine::State one_end(const Machine& machine, std::size_t& visited) {
  Machine::State state = machine.start();
  for (;;) {
    ++visited;
    const std::vector<Machine::State> next = machine.successors(state);
    if (next.empty()) return state;
    state = next.front();
  }
}

}  // namespace

bool Fate::dead() const { return !stuck_ranks().empty(); }

std::vector<int> Fate::stuck_ranks() const {
  std::vector<int> stuck;
  for (std::size_t rank = 0; rank < finishes.size(); ++rank) {
    if (!finishes[rank]) stuck.push_back(static_cast<int>(rank));
  }
  return stuck;
}

Fate foretell(const Program& program, std::size_t bound) {
  const Machine machine(program);
  std::size_t visited = 0;
  const auto ends = all_ends(machine, bound, visited);
  if (ends && ends->size() != 1) {
    throw std::logic_error("the end depends on the interleaving:\n" + to_text(program));
  }
  const Machine::State end = ends ? ends->front() : one_end(machine, visited);
  Fate fate = machine.fate(end);
  fate.blame = machine.blame(end);
  fate.states = visited;
  fate.exhaustive = ends.has_value();
  return fate;
}

}  // namespace gridlock::fuzz
