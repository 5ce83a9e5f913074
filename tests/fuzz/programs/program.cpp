// Answers questions about programs.
#include "tests/fuzz/programs/program.h"

#include <algorithm>

namespace gridlock::fuzz {

std::vector<const std::vector<Instruction>*> threads_of(const Program& program, int rank) {
  std::vector<const std::vector<Instruction>*> all{
      &program.ranks.at(static_cast<std::size_t>(rank))};
  for (const HostThread& thread : program.threads) {
    if (thread.rank == rank) all.push_back(&thread.code);
  }
  return all;
}

std::size_t group_end(const std::vector<Instruction>& code, std::size_t begin) {
  std::size_t end = begin + 1;
  if (!is_communication(code[begin].op)) return end;
  while (end < code.size() && code[end].joined) ++end;
  return end;
}

bool has_gatherings(const Program& program) {
  return any_call(program, [](const Instruction& call) { return gathers(call.op); });
}

bool uses_signals(const Program& program) {
  return any_call(program, [](const Instruction& call) {
    return call.op == Op::kick || (call.op == Op::await && call.event == kSignalled);
  });
}

int rank_in(const std::vector<int>& members, int rank) {
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

}  // namespace gridlock::fuzz
