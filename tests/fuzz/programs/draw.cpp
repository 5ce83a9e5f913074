// Draws programs that every rank finishes, from a seed.
#include "tests/fuzz/programs/draw.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace gridlock::fuzz {
namespace {

constexpr int kMostSteps = 12;
constexpr int kLazy = 15;     // per cent
constexpr int kOneRank = 10;  // of the communicators but the first

template <class Value>
void shuffle(std::vector<Value>& values, Dice& dice) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1],
              values[static_cast<std::size_t>(dice.below(static_cast<int>(left)))]);
  }
}

// Draws the operations of all ranks in one order that every rank follows.
class Healthy {
 public:
  Healthy(Dice& dice, Program& program)
      : dice_(dice), program_(program), streams_(dice.between(1, kMaxStreams)) {}

  void step() {
    const int kind = dice_.below(100);
    joined_.assign(program_.ranks.size(), false);
    stream_ = dice_.below(streams_);
    if (kind < 35) {
      collective(communicator());
    } else if (kind < 50) {
      message(communicator());
    } else if (kind < 60) {
      exchange(communicator());
    } else if (kind < 70) {
      group();
    } else {
      local();
    }
  }

  void end() {
    const bool all = dice_.percent(60);
    for (auto& code : program_.ranks) {
      if (all || dice_.percent(50)) code.push_back({.op = Op::sync_device});
    }
  }

 private:
  int communicator() { return dice_.below(static_cast<int>(program_.communicators.size())); }

  const std::vector<int>& members(int communicator) const {
    return program_.communicators[static_cast<std::size_t>(communicator)];
  }

  // One rank's call of an operation. Most programs use the same stream for it on all ranks.
  void add(int rank, Instruction instruction) {
    const auto index = static_cast<std::size_t>(rank);
    instruction.stream = dice_.percent(85) ? stream_ : dice_.below(streams_);
    instruction.joined = grouped_ && joined_[index];
    joined_[index] = true;
    program_.ranks[index].push_back(instruction);
  }

  void collective(int communicator) {
    Instruction call{
        .op = draw_collective(dice_), .size = draw_size(dice_), .communicator = communicator};
    if (has_peer(call.op)) call.peer = dice_.below(static_cast<int>(members(communicator).size()));
    for (const int member : members(communicator)) add(member, call);
  }

  void message(int communicator) {
    const int size = static_cast<int>(members(communicator).size());
    if (size == 1) return collective(communicator);
    const int sender = dice_.below(size);
    const int receiver = (sender + dice_.between(1, size - 1)) % size;
    message(communicator, sender, receiver, draw_size(dice_));
  }

  void message(int communicator, int sender, int receiver, Size size) {
    const std::vector<int>& ranks = members(communicator);
    Instruction call{.op = Op::send, .size = size, .communicator = communicator, .peer = receiver};
    add(ranks[static_cast<std::size_t>(sender)], call);
    call.op = Op::recv;
    call.peer = sender;
    add(ranks[static_cast<std::size_t>(receiver)], call);
  }

  // Each rank sends to the next and receives from the one before, in one group.
  void exchange(int communicator) {
    const int count = static_cast<int>(members(communicator).size());
    if (count == 1) return collective(communicator);
    grouped_ = true;
    const Size size = draw_size(dice_);
    for (int sender = 0; sender < count; ++sender) {
      message(communicator, sender, (sender + 1) % count, size);
    }
    grouped_ = false;
  }

  // A group's communicators run in the order of their first calls. That order is the same on all
  // ranks if all make the same calls, so messages stay on one communicator.
  void group() {
    grouped_ = true;
    const bool messages = dice_.percent(50);
    const int only = communicator();
    for (int left = dice_.between(2, 4); left > 0; --left) {
      messages ? message(only) : collective(communicator());
    }
    grouped_ = false;
  }

  // An instruction that orders work within a rank: on one rank, or the same on every rank.
  void local() {
    const int only = dice_.percent(50) ? dice_.below(static_cast<int>(program_.ranks.size())) : -1;
    const Instruction first{.stream = stream_, .event = dice_.below(kMaxEvents)};
    const int other = dice_.below(streams_);
    const int kind = dice_.below(7);
    for (int rank = 0; rank < static_cast<int>(program_.ranks.size()); ++rank) {
      if (only >= 0 && rank != only) continue;
      auto& code = program_.ranks[static_cast<std::size_t>(rank)];
      Instruction call = first;
      if (kind <= 2) {
        call.op = Op::record_event;
        code.push_back(call);
        call.op = kind <= 1 ? Op::wait_event : Op::sync_event;
        call.stream = other;
        code.push_back(call);
      } else {
        constexpr std::array kWaits{Op::sync_stream, Op::sync_device, Op::copy, Op::free};
        call.op = kWaits.at(static_cast<std::size_t>(kind - 3));
        code.push_back(call);
      }
    }
  }

  Dice& dice_;
  Program& program_;
  int streams_;
  int stream_ = 0;
  bool grouped_ = false;
  std::vector<bool> joined_;
};

}  // namespace

std::uint64_t Dice::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

Program draw_communicators(Dice& dice) {
  Program program;
  const int ranks = std::min(dice.between(2, kMaxRanks), dice.between(2, kMaxRanks));
  program.ranks.resize(static_cast<std::size_t>(ranks));
  const int count = dice.between(1, kMaxCommunicators);
  for (int index = 0; index < count; ++index) {
    std::vector<int> members(program.ranks.size());
    std::iota(members.begin(), members.end(), 0);
    shuffle(members, dice);
    if (!dice.percent(60)) members.resize(static_cast<std::size_t>(dice.between(2, ranks)));
    if (index > 0 && dice.percent(kOneRank)) members.resize(1);
    if (!dice.percent(25)) std::sort(members.begin(), members.end());
    program.communicators.push_back(members);
  }
  return program;
}

Op draw_collective(Dice& dice) {
  constexpr std::array kKinds{Op::all_reduce,     Op::all_reduce, Op::all_gather,
                              Op::reduce_scatter, Op::broadcast,  Op::reduce};
  return kKinds.at(static_cast<std::size_t>(dice.below(kKinds.size())));
}

Size draw_size(Dice& dice) { return dice.percent(70) ? Size::small : Size::large; }

Program draw_healthy(Dice& dice, int size) {
  Program program = draw_communicators(dice);
  Healthy healthy(dice, program);
  const int most = 1 + std::min(kMostSteps - 1, size * kMostSteps / 100);
  for (int left = dice.between(1, most); left > 0; --left) healthy.step();
  healthy.end();
  program.lazy = dice.percent(kLazy);
  return program;
}

}  // namespace gridlock::fuzz
