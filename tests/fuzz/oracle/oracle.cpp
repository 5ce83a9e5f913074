// Explores the states of the machine.
#include "tests/fuzz/oracle/oracle.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "tests/fuzz/oracle/machine.h"

namespace gridlock::fuzz {
namespace {

using State = Machine::State;

std::vector<State> after(const Machine& machine, const State& state, Steps steps) {
  if (steps == Steps::all) return machine.successors(state);
  std::vector<State> next = machine.choices(state);
  for (State& each : next) each = machine.rested(std::move(each));
  return next;
}

State start(const Machine& machine, Steps steps) {
  return steps == Steps::all ? machine.start() : machine.rested(machine.start());
}

State one_end(const Machine& machine, std::size_t& visited) {
  State state = start(machine, Steps::chosen);
  for (;;) {
    ++visited;
    const std::vector<State> next = after(machine, state, Steps::chosen);
    if (next.empty()) return state;
    state = next.front();
  }
}

}  // namespace

std::vector<State> all_ends(const Machine& machine, const State& from, Steps steps,
                            std::size_t bound, std::size_t& visited) {
  std::unordered_set<State> known{from};
  std::vector<State> open{from};
  std::vector<State> ends;
  while (!open.empty()) {
    const State state = std::move(open.back());
    open.pop_back();
    const std::vector<State> next = after(machine, state, steps);
    if (next.empty()) ends.push_back(state);
    for (const State& successor : next) {
      if (known.insert(successor).second) open.push_back(successor);
    }
    visited = known.size();
    if (visited > bound) return {};
  }
  return ends;
}

bool Fate::dead() const { return !stuck_ranks().empty(); }

std::vector<int> Fate::stuck_ranks() const {
  std::vector<int> stuck;
  for (std::size_t rank = 0; rank < finishes.size(); ++rank) {
    if (!finishes[rank]) stuck.push_back(static_cast<int>(rank));
  }
  return stuck;
}

bool drops_work(const Program& program) {
  return any_call(program, [](const Instruction& call) { return call.op == Op::drop; });
}

bool is_open(const Program& program) { return !program.threads.empty() || drops_work(program); }

Foresight foretell(const Program& program, std::size_t bound, Steps steps) {
  const Machine machine(program);
  Foresight foresight;
  std::vector<State> ends =
      all_ends(machine, start(machine, steps), steps, bound, foresight.states);
  foresight.exhaustive = !ends.empty();
  if (ends.empty()) ends.push_back(one_end(machine, foresight.states));
  if (ends.size() > 1 && !is_open(program)) {
    throw std::logic_error("the end depends on the interleaving:\n" + to_text(program));
  }
  for (const State& end : ends) {
    Fate fate = machine.fate(end);
    fate.blame = machine.blame(end);
    if (std::find(foresight.fates.begin(), foresight.fates.end(), fate) == foresight.fates.end()) {
      foresight.fates.push_back(std::move(fate));
    }
  }
  return foresight;
}

}  // namespace gridlock::fuzz
