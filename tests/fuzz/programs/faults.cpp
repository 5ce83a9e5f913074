// Checks that programs are well formed.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {
namespace {

std::string fault_of(const Instruction& instruction, const Program& program, int rank) {
  const auto below = [](int value, std::size_t bound) {
    return value >= 0 && static_cast<std::size_t>(value) < bound;
  };
  if (has_stream(instruction.op) && !below(instruction.stream, kMaxStreams))
    return "no such stream";
  if (has_event(instruction.op) && !below(instruction.event, kMaxEvents)) return "no such event";
  if (has_counter(instruction.op) && !below(instruction.event, kMaxEvents)) {
    return "no such counter";
  }
  if (instruction.op == Op::post && instruction.event == kSignalled) return "not by a signal";
  if (instruction.op == Op::kick &&
      (instruction.peer == rank || !below(instruction.peer, program.ranks.size()))) {
    return "no other rank";
  }
  if (instruction.joined && !can_join(instruction.op)) return "a call that no group can hold";
  if (!has_communicator(instruction.op)) return "";
  if (!below(instruction.communicator, program.communicators.size())) return "no such communicator";
  const auto& members = program.communicators[static_cast<std::size_t>(instruction.communicator)];
  const int self = rank_in(members, rank);
  if (self < 0) return "the rank is not in the communicator";
  if (!has_peer(instruction.op)) return "";
  if (!below(instruction.peer, members.size())) return "no such peer";
  if (is_message(instruction.op) && instruction.peer == self) return "a message to oneself";
  return "";
}

// What only one thread of a rank may use: a communicator, a stream, an event that it records or
// that its streams wait for, a counter that it takes from.
class Owners {
 public:
  // Whether another thread has used it.
  bool conflicts(const Instruction& call, std::size_t thread) {
    const Op op = call.op;
    return (has_communicator(op) && taken(0, call.communicator, thread)) ||
           (has_stream(op) && op != Op::sync_stream && taken(1, call.stream, thread)) ||
           (has_event(op) && op != Op::sync_event && taken(2, call.event, thread)) ||
           (op == Op::await && taken(3, call.event, thread));
  }

 private:
  bool taken(int kind, int index, std::size_t thread) {
    return owners_.emplace(std::pair(kind, index), thread).first->second != thread;
  }
  std::map<std::pair<int, int>, std::size_t> owners_;
};

// What is wrong with a call of a program that speaks MPI, as far as that makes a difference.
std::string fault_with_mpi(const Instruction& call, const Program& program) {
  if (gives_up(call.op) || call.op == Op::crash) return "MPI would end the job";
  if (!is_mpi(program, call)) {
    return has_stream(call.op) && call.stream == kMpiStream ? "MPI's stream" : "";
  }
  const bool known = call.op == Op::all_reduce || is_message(call.op);
  const bool large = call.op == Op::all_reduce && call.size == Size::large;
  return !known || large || call.joined || call.stream != kMpiStream ? "not a call of MPI" : "";
}

std::string fault_of_rank(const Program& program, int rank) {
  const std::vector<const std::vector<Instruction>*> threads = threads_of(program, rank);
  if (threads.size() > kMaxThreads) return "too many threads";
  Owners owners;
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    std::set<int> given_up;
    for (const Instruction& call : *threads[thread]) {
      std::string fault = fault_of(call, program, rank);
      if (has_communicator(call.op) && given_up.contains(call.communicator)) {
        fault = "the rank has given up the communicator";
      }
      if (threads.size() > 1 && call.op == Op::crash) fault = "a rank of several threads";
      if (fault.empty() && program.mpi) fault = fault_with_mpi(call, program);
      if (call.joined && &call != threads[thread]->data() && is_mpi(program, *(&call - 1))) {
        fault = "no group begins with a call of MPI";
      }
      if (fault.empty() && owners.conflicts(call, thread)) fault = "another thread uses the same";
      if (!fault.empty()) return to_text(call) + ": " + fault;
      if (gives_up(call.op)) given_up.insert(call.communicator);
    }
  }
  return "";
}

}  // namespace

std::string fault_of(const Program& program) {
  if (program.ranks.empty() || program.ranks.size() > kMaxRanks) return "too few or too many ranks";
  if (program.communicators.size() > kMaxCommunicators) return "too many communicators";
  for (const std::vector<int>& members : program.communicators) {
    if (members.empty()) return "a communicator without ranks";
    if (std::set<int>(members.begin(), members.end()).size() != members.size()) {
      return "a communicator that has a rank twice";
    }
    for (const int member : members) {
      if (member < 0 || static_cast<std::size_t>(member) >= program.ranks.size()) {
        return "a communicator with a rank that does not exist";
      }
    }
  }
  if (program.mpi && (!program.threads.empty() || program.communicators.empty() ||
                      program.communicators.back().size() != program.ranks.size() ||
                      !std::ranges::is_sorted(program.communicators.back()))) {
    return "MPI's communicator is not the last one, or a rank has several threads";
  }
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const std::string fault = fault_of_rank(program, static_cast<int>(rank));
    if (!fault.empty()) return fault + " on rank " + std::to_string(rank);
  }
  return std::any_of(program.threads.begin(), program.threads.end(),
                     [&](const HostThread& thread) {
                       return thread.rank < 0 ||
                              static_cast<std::size_t>(thread.rank) >= program.ranks.size();
                     }) ||
                 std::ranges::any_of(program.late,
                                     [&](int rank) {
                                       return rank < 0 || static_cast<std::size_t>(rank) >=
                                                              program.ranks.size();
                                     })
             ? "a rank that does not exist"
             : "";
}

}  // namespace gridlock::fuzz
