// Simplifies a program: fewer ranks, fewer communicators, fewer calls, simpler calls.
#include <algorithm>

#include "tests/fuzz/programs/draw.h"

namespace gridlock::fuzz {
namespace {

// Of all host threads; the ranks' main threads come first.
std::vector<std::vector<Instruction>*> codes_of(Program& program) {
  std::vector<std::vector<Instruction>*> all;
  for (auto& code : program.ranks) all.push_back(&code);
  for (HostThread& thread : program.threads) all.push_back(&thread.code);
  return all;
}

// Removes rank `gone` from all communicators, and communicators that become too small.
Program without_rank(Program program, int gone) {
  std::erase_if(program.threads, [&](const HostThread& thread) { return thread.rank == gone; });
  for (HostThread& thread : program.threads) thread.rank -= thread.rank > gone ? 1 : 0;
  std::erase(program.late, gone);
  for (int& late : program.late) late -= late > gone ? 1 : 0;
  for (std::vector<Instruction>* const all : codes_of(program)) {
    std::vector<Instruction>& code = *all;
    std::erase_if(code, [&](const Instruction& call) {
      if (!has_communicator(call.op)) return false;
      const auto& members = program.communicators[static_cast<std::size_t>(call.communicator)];
      const int number = rank_in(members, gone);
      return number >= 0 && (members.size() <= 2 || (has_peer(call.op) && call.peer == number));
    });
    std::erase_if(
        code, [&](const Instruction& call) { return call.op == Op::kick && call.peer == gone; });
    for (Instruction& call : code) {
      if (call.op == Op::kick && call.peer > gone) --call.peer;
      if (!has_peer(call.op)) continue;
      const auto& members = program.communicators[static_cast<std::size_t>(call.communicator)];
      const int number = rank_in(members, gone);
      if (number >= 0 && call.peer > number) --call.peer;
    }
  }
  program.ranks.erase(program.ranks.begin() + gone);
  for (auto& members : program.communicators) {
    const bool is_used = rank_in(members, gone) < 0 || members.size() > 2;
    std::erase(members, gone);
    for (int& member : members) member -= member > gone ? 1 : 0;
    if (!is_used) members = {0, 1};
  }
  return program;
}

Program without_communicator(Program program, int gone) {
  for (std::vector<Instruction>* const code : codes_of(program)) {
    std::erase_if(*code, [&](const Instruction& call) {
      return has_communicator(call.op) && call.communicator == gone;
    });
    for (Instruction& call : *code) call.communicator -= call.communicator > gone ? 1 : 0;
  }
  program.communicators.erase(program.communicators.begin() + gone);
  return program;
}

// Whether every rank has a communicator. Nothing is proven about a rank without a recorded call, so
// a simpler program must not differ in that.
bool communicates(const Program& program) {
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
    if (std::ranges::none_of(program.communicators, [&](const std::vector<int>& members) {
          return rank_in(members, rank) >= 0;
        })) {
      return false;
    }
  }
  return true;
}

std::vector<Instruction> plainer(const Instruction& call) {
  std::vector<Instruction> all;
  all.reserve(4);
  const auto add = [&](auto change) {
    Instruction plain = call;
    change(plain);
    if (!(plain == call)) all.push_back(plain);
  };
  add([](Instruction& plain) { plain.size = Size::small; });
  add([](Instruction& plain) { plain.joined = false; });
  add([](Instruction& plain) { plain.stream = 0; });
  add([](Instruction& plain) { plain.event = 0; });
  return all;
}

}  // namespace

std::vector<Program> simpler(const Program& program) {
  std::vector<Program> all;
  const auto add = [&](Program candidate) {
    if (fault_of(candidate).empty() && communicates(candidate) == communicates(program)) {
      all.push_back(std::move(candidate));
    }
  };
  for (int rank = 0; program.ranks.size() > 2 && rank < static_cast<int>(program.ranks.size());
       ++rank) {
    add(without_rank(program, rank));
  }
  for (int gone = 0; gone < static_cast<int>(program.communicators.size()); ++gone) {
    add(without_communicator(program, gone));
  }
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
    Program fewer = program;
    fewer.threads.erase(fewer.threads.begin() + static_cast<std::ptrdiff_t>(thread));
    add(std::move(fewer));
  }
  if (!program.late.empty()) {
    Program prompt = program;
    prompt.late.clear();
    add(std::move(prompt));
  }
  if (program.lazy) {
    Program eager = program;
    eager.lazy = false;
    add(std::move(eager));
  }
  Program copy = program;
  const std::vector<std::vector<Instruction>*> codes = codes_of(copy);
  // Adds the program with one thread's code changed.
  const auto add_changed = [&](std::vector<Instruction>& code, auto change) {
    const std::vector<Instruction> before = code;
    change();
    add(copy);
    code = before;
  };
  for (std::vector<Instruction>* const code : codes) {
    const std::size_t length = code->size();
    for (std::size_t half = length / 2; half > 0; half /= 2) {
      add_changed(*code, [&] { code->resize(length - half); });
    }
    for (std::size_t index = 0; index < length; ++index) {
      add_changed(*code, [&] { code->erase(code->begin() + static_cast<std::ptrdiff_t>(index)); });
    }
  }
  for (std::vector<Instruction>* const code : codes) {
    for (std::size_t index = 0; index < code->size(); ++index) {
      for (const Instruction& plain : plainer((*code)[index])) {
        add_changed(*code, [&] { (*code)[index] = plain; });
      }
    }
  }
  // Changes the same call on all ranks at once, because on one rank alone it would be another bug.
  for (const auto& members : program.communicators) {
    for (std::size_t from = 0; from < members.size(); ++from) {
      Program sorted = program;
      auto& order =
          sorted.communicators[static_cast<std::size_t>(&members - program.communicators.data())];
      std::sort(order.begin(), order.end());
      if (!(sorted == program)) add(std::move(sorted));
      break;
    }
  }
  // Drops an operation on all its ranks, because without it on one rank alone the program would
  // have another fault.
  const auto& first = *std::max_element(
      program.ranks.begin(), program.ranks.end(),
      [](const auto& one, const auto& other) { return one.size() < other.size(); });
  for (const Instruction& call : first) {
    Program candidate = program;
    for (std::vector<Instruction>* const code : codes_of(candidate)) {
      const auto found = std::find(code->begin(), code->end(), call);
      if (found != code->end()) code->erase(found);
    }
    add(std::move(candidate));
  }
  return all;
}

}  // namespace gridlock::fuzz
