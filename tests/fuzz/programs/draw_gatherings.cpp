// Draws programs in which members also wait for each other to make and to end communicators.
#include <algorithm>
#include <utility>

#include "tests/fuzz/programs/draw.h"

namespace gridlock::fuzz {
namespace {

bool is_used_by(const std::vector<Instruction>& code, int communicator) {
  return std::ranges::any_of(code, [=](const Instruction& call) {
    return has_communicator(call.op) && call.communicator == communicator;
  });
}

// The thread of a rank that has the communicator.
std::vector<Instruction>& owner(Program& program, int rank, int communicator) {
  for (HostThread& thread : program.threads) {
    if (thread.rank == rank && is_used_by(thread.code, communicator)) return thread.code;
  }
  return program.ranks[static_cast<std::size_t>(rank)];
}

// A place in the code behind `calls` of the communicator, and outside of groups.
std::size_t place_behind(const std::vector<Instruction>& code, int communicator, int calls) {
  std::size_t place = 0;
  while (place < code.size() && calls > 0) {
    const std::size_t end = group_end(code, place);
    for (; place < end; ++place) {
      const Instruction& call = code[place];
      if (has_communicator(call.op) && call.communicator == communicator) --calls;
    }
  }
  return place;
}

void insert(Program& program, Instruction call, int behind) {
  Program changed = program;
  for (const int rank : program.communicators[static_cast<std::size_t>(call.communicator)]) {
    std::vector<Instruction>& code = owner(changed, rank, call.communicator);
    const std::size_t place = place_behind(code, call.communicator, behind);
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(place), call);
  }
  if (fault_of(changed).empty()) program = std::move(changed);
}

}  // namespace

Program draw_with_gatherings(Dice& dice, int size) {
  constexpr int kMany = 1000;  // calls: at the end of the code
  Program program = dice.percent(40)   ? draw_threaded(dice, size)
                    : dice.percent(50) ? draw_broken(dice, size)
                                       : draw_healthy(dice, size);
  const int communicators = static_cast<int>(program.communicators.size());
  for (int left = dice.between(1, 3); left > 0; --left) {
    const int communicator = dice.below(communicators);
    insert(program, {.op = Op::split, .communicator = communicator}, dice.between(0, 4));
  }
  for (int communicator = 0; communicator < communicators; ++communicator) {
    if (!dice.percent(50)) continue;
    insert(program, {.op = Op::destroy, .communicator = communicator},
           dice.percent(80) ? kMany : dice.between(0, 3));
  }
  for (int left = dice.between(0, 2); left > 0; --left) add_fault(program, dice);
  return program;
}

}  // namespace gridlock::fuzz
