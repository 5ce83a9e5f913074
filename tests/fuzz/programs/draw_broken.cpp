// Draws programs with faults, and programs that make no sense.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tests/fuzz/programs/draw.h"

namespace gridlock::fuzz {
namespace {

constexpr int kMostFaults = 3;

Instruction draw_any(const Program& program, int rank, Dice& dice) {
  Instruction call{.op = static_cast<Op>(dice.below(static_cast<int>(Op::sync_device) + 1)),
                   .joined = dice.percent(25),
                   .size = draw_size(dice),
                   .communicator = dice.below(static_cast<int>(program.communicators.size())),
                   .stream = dice.below(kMaxStreams),
                   .event = dice.below(kMaxEvents)};
  if (!is_communication(call.op)) return call;
  const auto& members = program.communicators[static_cast<std::size_t>(call.communicator)];
  const int self = rank_in(members, rank);
  const int size = static_cast<int>(members.size());
  if (self < 0 || (size == 1 && is_message(call.op))) {
    return {.op = Op::record_event, .event = call.event};
  }
  call.peer = is_message(call.op) ? (self + dice.between(1, size - 1)) % size : dice.below(size);
  return call;
}

void change(Instruction& call, const Program& program, int rank, Dice& dice) {
  const Instruction other = draw_any(program, rank, dice);
  switch (dice.below(5)) {
    case 0:
      call.size = call.size == Size::small ? Size::large : Size::small;
      break;
    case 1:
      call.event = other.event;
      break;
    case 2:
      if (can_join(call.op)) call.joined = !call.joined;
      break;
    case 3:
      call = other;
      break;
    default:
      if (is_collective(call.op) && is_collective(other.op)) {
        call.communicator = other.communicator;
        call.peer = other.peer;
      } else {
        call.stream = other.stream;
      }
      break;
  }
}

Instruction draw_end(const Program& program, int rank, Dice& dice) {
  const int communicator = dice.below(static_cast<int>(program.communicators.size()));
  const auto& members = program.communicators[static_cast<std::size_t>(communicator)];
  if (rank_in(members, rank) < 0) return {.op = Op::sync_device};
  return {.op = dice.percent(60) ? Op::abort : Op::drop, .communicator = communicator};
}

// Drops the calls of a thread on communicators that it has given up.
void drop_calls_after_ends(std::vector<Instruction>& code) {
  std::set<int> given_up;
  std::erase_if(code, [&](const Instruction& call) {
    if (!has_communicator(call.op)) return false;
    if (given_up.contains(call.communicator)) return true;
    if (gives_up(call.op)) given_up.insert(call.communicator);
    return false;
  });
}

// Another call of the same thread, with what it may use.
Instruction draw_alike(const std::vector<Instruction>& code, Dice& dice) {
  Instruction call = code[static_cast<std::size_t>(dice.below(static_cast<int>(code.size())))];
  call.joined = false;
  return call;
}

void spoil(Program& program, int rank, std::vector<Instruction>& code, Dice& dice) {
  const auto place = code.begin() + dice.below(static_cast<int>(code.size()));
  switch (dice.below(13)) {
    case 0:
    case 1:
      code.erase(place);
      break;
    case 10:
      code.insert(place, draw_end(program, rank, dice));
      drop_calls_after_ends(code);
      break;
    case 11: {
      Instruction call = draw_alike(code, dice);
      if (is_communication(call.op)) call.op = Op::refused;
      code.insert(place, call);
      break;
    }
    case 12:
      code.insert(place, {.op = Op::nap});
      break;
    case 2:
      code.insert(place, Instruction(*place));
      break;
    case 3:
      std::iter_swap(place, code.begin() + dice.below(static_cast<int>(code.size())));
      break;
    case 4:
      if (std::next(place) != code.end()) std::iter_swap(place, std::next(place));
      break;
    case 5:
      place->stream = dice.below(kMaxStreams);
      break;
    case 6: {
      constexpr std::array kSyncs{Op::sync_event, Op::sync_stream, Op::sync_device, Op::copy,
                                  Op::free};
      code.insert(place, {.op = kSyncs.at(static_cast<std::size_t>(dice.below(kSyncs.size()))),
                          .stream = dice.below(kMaxStreams),
                          .event = dice.below(kMaxEvents)});
      break;
    }
    case 7:
      code.erase(place, code.end());
      break;
    case 8:
      code.insert(place, {.op = Op::crash});
      break;
    default:
      change(*place, program, rank, dice);
      break;
  }
}

}  // namespace

void add_fault(Program& program, Dice& dice) {
  const int threads = static_cast<int>(program.ranks.size() + program.threads.size());
  const auto drawn = static_cast<std::size_t>(dice.below(threads));
  const bool is_main = drawn < program.ranks.size();
  Program changed = program;
  HostThread* const other = is_main ? nullptr : &changed.threads[drawn - program.ranks.size()];
  std::vector<Instruction>& code = is_main ? changed.ranks[drawn] : other->code;
  if (code.empty()) return;
  spoil(changed, is_main ? static_cast<int>(drawn) : other->rank, code, dice);
  if (fault_of(changed).empty()) program = std::move(changed);
}

Program draw_broken(Dice& dice, int size) {
  Program program = draw_healthy(dice, size);
  for (int left = dice.between(1, kMostFaults); left > 0; --left) add_fault(program, dice);
  return program;
}

Program draw_wild(Dice& dice, int size) {
  Program program = draw_communicators(dice);
  const int most = 1 + std::min(7, size / 12);
  for (int rank = 0; rank < static_cast<int>(program.ranks.size()); ++rank) {
    auto& code = program.ranks[static_cast<std::size_t>(rank)];
    for (int left = dice.between(0, most); left > 0; --left) {
      code.push_back(draw_any(program, rank, dice));
    }
    if (dice.percent(10)) {
      code.insert(code.begin() + dice.between(0, static_cast<int>(code.size())),
                  draw_end(program, rank, dice));
    }
    drop_calls_after_ends(code);
  }
  program.lazy = dice.percent(15);
  return program;
}

}  // namespace gridlock::fuzz
