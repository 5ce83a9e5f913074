// Reads and writes programs as text, and checks that they are well formed.
#include "tests/fuzz/program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gridlock::fuzz {
namespace {

constexpr std::array<std::string_view, 7> kCommunication{
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "send", "recv"};

std::string suffix(char mark, int number) { return mark + std::to_string(number); }

std::string argument(int number) { return "(" + std::to_string(number) + ")"; }

std::string to_text(const Instruction& instruction) {
  const std::string on_stream = suffix('@', instruction.stream);
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
    case Op::abort:
      return static_cast<char>('A' + instruction.communicator) + std::string(".abort");
    case Op::crash:
      return "crash";
    default:
      break;
  }
  std::string text = instruction.joined ? "+" : "";
  text += static_cast<char>('A' + instruction.communicator);
  text += '.';
  text += kCommunication.at(static_cast<std::size_t>(instruction.op));
  if (has_peer(instruction.op)) text += argument(instruction.peer);
  if (instruction.size == Size::large) text += ":large";
  return text + on_stream;
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

Instruction parse_call_on_communicator(Word word) {
  Instruction instruction;
  instruction.joined = word.take("+");
  instruction.communicator = word.letter() - 'A';
  word.expect(".");
  if (word.take("abort")) {
    instruction.op = Op::abort;
    word.end();
    return instruction;
  }
  const auto* const name = std::find_if(kCommunication.begin(), kCommunication.end(),
                                        [&](std::string_view call) { return word.take(call); });
  if (name == kCommunication.end()) word.fail();
  instruction.op = static_cast<Op>(name - kCommunication.begin());
  if (has_peer(instruction.op)) instruction.peer = word.argument();
  if (word.take(":large")) instruction.size = Size::large;
  word.expect("@");
  instruction.stream = word.number();
  word.end();
  return instruction;
}

Instruction parse_instruction(std::string_view text) {
  Word word(text);
  Instruction instruction;
  if (word.take("device_sync")) {
    instruction.op = Op::sync_device;
  } else if (word.take("crash")) {
    instruction.op = Op::crash;
  } else if (word.take("copy")) {
    instruction.op = Op::copy;
  } else if (word.take("free")) {
    instruction.op = Op::free;
  } else if (word.take("sync@")) {
    instruction.op = Op::sync_stream;
    instruction.stream = word.number();
  } else if (word.take("sync")) {
    instruction.op = Op::sync_event;
    instruction.event = word.argument();
  } else if (const bool record = word.take("record"); record || word.take("wait")) {
    instruction.op = record ? Op::record_event : Op::wait_event;
    instruction.event = word.argument();
    word.expect("@");
    instruction.stream = word.number();
  } else {
    return parse_call_on_communicator(word);
  }
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

}  // namespace

std::size_t group_end(const std::vector<Instruction>& code, std::size_t begin) {
  std::size_t end = begin + 1;
  if (!is_communication(code[begin].op)) return end;
  while (end < code.size() && is_communication(code[end].op) && code[end].joined) ++end;
  return end;
}

int rank_in(const std::vector<int>& members, int rank) {
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

std::string fault_of(const Program& program) {
  if (program.ranks.empty() || program.ranks.size() > kMaxRanks) return "too few or too many ranks";
  if (program.communicators.size() > kMaxCommunicators) return "too many communicators";
  for (const std::vector<int>& members : program.communicators) {
    if (members.size() < 2) return "a communicator of fewer than two ranks";
    if (std::set<int>(members.begin(), members.end()).size() != members.size()) {
      return "a communicator that has a rank twice";
    }
    for (const int member : members) {
      if (member < 0 || static_cast<std::size_t>(member) >= program.ranks.size()) {
        return "a communicator with a rank that does not exist";
      }
    }
  }
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    std::set<int> aborted;
    for (const Instruction& instruction : program.ranks[rank]) {
      std::string fault = fault_of(instruction, program, static_cast<int>(rank));
      if (has_communicator(instruction.op) && aborted.contains(instruction.communicator)) {
        fault = "the rank has aborted the communicator";
      }
      if (!fault.empty()) {
        return to_text(instruction) + " on rank " + std::to_string(rank) + ": " + fault;
      }
      if (instruction.op == Op::abort) aborted.insert(instruction.communicator);
    }
  }
  return "";
}

std::string to_text(const Program& program) {
  std::string text;
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    text += static_cast<char>('A' + index);
    text += " =";
    for (const int member : program.communicators[index]) text += suffix(' ', member);
    text += '\n';
  }
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    text += std::to_string(rank) + ":";
    for (const Instruction& instruction : program.ranks[rank]) {
      text += " " + to_text(instruction);
    }
    text += '\n';
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
    if (word.ends_with(':')) {
      std::vector<Instruction>& code = program.ranks.emplace_back();
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
