// Reads and writes programs as text, and checks that they are well formed.
#include "tests/fuzz/programs/program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace gridlock::fuzz {
namespace {

constexpr std::array<std::string_view, 7> kCommunication{
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "send", "recv"};

std::string suffix(char mark, int number) { return mark + std::to_string(number); }

std::string argument(int number) { return "(" + std::to_string(number) + ")"; }

std::string text_of_call(const Instruction& instruction) {
  const std::string on_stream = suffix('@', instruction.stream);
  const std::string on_communicator =
      static_cast<char>('A' + instruction.communicator) + std::string(".");
  switch (instruction.op) {
    case Op::record_event:
      return "record" + argument(instruction.event) + on_stream;
    case Op::wait_event:
      return "wait" + argument(instruction.event) + on_stream;
    case Op::sync_event:
      return "sync" + argument(instruction.event);
    case Op::sync_stream:
      return "sync" + on_stream;
    case Op::copy:
      return "copy";
    case Op::free:
      return "free";
    case Op::sync_device:
      return "device_sync";
    case Op::post:
      return "post" + argument(instruction.event);
    case Op::await:
      return "await" + argument(instruction.event);
    case Op::kick:
      return "kick" + argument(instruction.peer);
    case Op::nap:
      return "nap";
    case Op::crash:
      return "crash";
    case Op::abort:
      return on_communicator + "abort";
    case Op::drop:
      return on_communicator + "drop";
    case Op::split:
      return on_communicator + "split";
    case Op::destroy:
      return on_communicator + "destroy";
    case Op::refused:
      return on_communicator + "refused" + on_stream;
    default:
      break;
  }
  std::string text = on_communicator;
  text += kCommunication.at(static_cast<std::size_t>(instruction.op));
  if (has_peer(instruction.op)) text += argument(instruction.peer);
  if (instruction.size == Size::large) text += ":large";
  return text + on_stream;
}

std::string to_text(const Instruction& instruction) {
  return (instruction.joined ? "+" : "") + text_of_call(instruction);
}

// Reads one word from its front to its end.
class Word {
 public:
  explicit Word(std::string_view word) : word_(word), rest_(word) {}

  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  void expect(std::string_view prefix) {
    if (!take(prefix)) fail();
  }
  char letter() {
    if (rest_.empty()) fail();
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }
  int number() {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  int argument() {
    expect("(");
    const int value = number();
    expect(")");
    return value;
  }
  void end() const {
    if (!rest_.empty()) fail();
  }
  [[noreturn]] void fail() const {
    throw std::invalid_argument("\"" + std::string(word_) + "\" is not an instruction");
  }

 private:
  std::string_view word_;
  std::string_view rest_;
};

Instruction parse_call_on_communicator(Word& word) {
  Instruction instruction;
  instruction.communicator = word.letter() - 'A';
  word.expect(".");
  for (const auto& [name, op] :
       {std::pair("abort", Op::abort), std::pair("drop", Op::drop), std::pair("split", Op::split),
        std::pair("destroy", Op::destroy)}) {
    instruction.op = op;
    if (word.take(name)) return instruction;
  }
  if (word.take("refused")) {
    instruction.op = Op::refused;
  } else {
    const auto* const name = std::find_if(kCommunication.begin(), kCommunication.end(),
                                          [&](std::string_view call) { return word.take(call); });
    if (name == kCommunication.end()) word.fail();
    instruction.op = static_cast<Op>(name - kCommunication.begin());
  }
  if (has_peer(instruction.op)) instruction.peer = word.argument();
  if (is_communication(instruction.op) && word.take(":large")) instruction.size = Size::large;
  word.expect("@");
  instruction.stream = word.number();
  return instruction;
}

Instruction parse_call(Word& word) {
  constexpr std::array<std::pair<std::string_view, Op>, 5> kPlain{{{"device_sync", Op::sync_device},
                                                                   {"crash", Op::crash},
                                                                   {"copy", Op::copy},
                                                                   {"free", Op::free},
                                                                   {"nap", Op::nap}}};
  for (const auto& [name, op] : kPlain) {
    if (word.take(name)) return {.op = op};
  }
  if (word.take("sync@")) return {.op = Op::sync_stream, .stream = word.number()};
  if (word.take("sync")) return {.op = Op::sync_event, .event = word.argument()};
  if (word.take("post")) return {.op = Op::post, .event = word.argument()};
  if (word.take("kick")) return {.op = Op::kick, .peer = word.argument()};
  if (word.take("await")) return {.op = Op::await, .event = word.argument()};
  const bool records = word.take("record");
  if (!records && !word.take("wait")) return parse_call_on_communicator(word);
  Instruction instruction{.op = records ? Op::record_event : Op::wait_event};
  instruction.event = word.argument();
  word.expect("@");
  instruction.stream = word.number();
  return instruction;
}

Instruction parse_instruction(std::string_view text) {
  Word word(text);
  const bool joined = word.take("+");
  Instruction instruction = parse_call(word);
  instruction.joined = joined;
  word.end();
  return instruction;
}

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
  const auto has_one = [](const std::vector<Instruction>& code) {
    return std::ranges::any_of(code, [](const Instruction& call) { return gathers(call.op); });
  };
  return std::ranges::any_of(program.ranks, has_one) ||
         std::ranges::any_of(program.threads, has_one, &HostThread::code);
}

bool uses_signals(const Program& program) {
  const auto waits_for_one = [](const std::vector<Instruction>& code) {
    return std::ranges::any_of(code, [](const Instruction& call) {
      return call.op == Op::kick || (call.op == Op::await && call.event == kSignalled);
    });
  };
  return std::ranges::any_of(program.ranks, waits_for_one) ||
         std::ranges::any_of(program.threads, waits_for_one, &HostThread::code);
}

int rank_in(const std::vector<int>& members, int rank) {
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

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

std::string to_text(const Program& program) {
  std::string text = program.lazy ? "lazy\n" : "";
  if (program.mpi) text += "mpi\n";
  for (const int rank : program.late) text += "late" + suffix(' ', rank) + "\n";
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    text += static_cast<char>('A' + index);
    text += " =";
    for (const int member : program.communicators[index]) text += suffix(' ', member);
    text += '\n';
  }
  const auto add_thread = [&](std::size_t rank, const std::vector<Instruction>& code) {
    text += std::to_string(rank) + ":";
    for (const Instruction& instruction : code) text += " " + to_text(instruction);
    text += '\n';
  };
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    add_thread(rank, program.ranks[rank]);
  }
  for (const HostThread& thread : program.threads) {
    add_thread(static_cast<std::size_t>(thread.rank), thread.code);
  }
  return text;
}

Program parse(std::string_view text) {
  Program program;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    if (word == "lazy") {
      program.lazy = true;
    } else if (word == "mpi") {
      program.mpi = true;
    } else if (word == "late") {
      words >> program.late.emplace_back();
    } else if (word.ends_with(':')) {
      const auto rank = static_cast<std::size_t>(std::stoi(word));
      if (rank > program.ranks.size()) throw std::invalid_argument("a rank is left out: " + line);
      const bool is_main = rank == program.ranks.size();
      std::vector<Instruction>& code =
          is_main ? program.ranks.emplace_back()
                  : program.threads.emplace_back(HostThread{static_cast<int>(rank), {}}).code;
      while (words >> word) code.push_back(parse_instruction(word));
    } else {
      std::vector<int>& members = program.communicators.emplace_back();
      if (!(words >> word) || word != "=") throw std::invalid_argument("no line: " + line);
      for (int member = 0; words >> member;) members.push_back(member);
    }
  }
  const std::string fault = fault_of(program);
  if (!fault.empty()) throw std::invalid_argument("no program: " + fault);
  return program;
}

}  // namespace gridlock::fuzz
