// Writes programs as text, and reads them back.
#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/fuzz/programs/program.h"

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

}  // namespace

std::string to_text(const Instruction& instruction) {
  return (instruction.joined ? "+" : "") + text_of_call(instruction);
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
