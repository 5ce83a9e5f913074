// Draws programs in which a rank has several host threads, or calls MPI.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tests/fuzz/programs/draw.h"

namespace gridlock::fuzz {
namespace {

constexpr int kMostThreadedSteps = 9;
constexpr int kMostThreadedRanks = 3;
constexpr int kMostThreadedFaults = 3;
constexpr int kLanesOfOne = 15;  // per cent of the lanes but the first

// Draws calls in one order that all ranks and threads follow. A lane is a communicator and a stream
// of all ranks, or of one; a rank's lanes are dealt out to its threads.
class Threaded {
 public:
  // `mpi`: no rank has several threads, and the last lane is MPI's.
  Threaded(Dice& dice, bool mpi) : dice_(dice) {
    const int ranks = std::min(dice.between(2, kMostThreadedRanks + 1), dice.between(2, 4));
    program_.ranks.resize(static_cast<std::size_t>(ranks));
    program_.mpi = mpi;
    lanes_ = mpi ? kMpiStream + 1 : dice.between(2, kMaxStreams);
    for (int lane = 0; lane < lanes_; ++lane) {
      std::vector<int> members(static_cast<std::size_t>(ranks));
      std::iota(members.begin(), members.end(), 0);
      if (lane > 0 && !mpi && dice.percent(kLanesOfOne)) members = {dice.below(ranks)};
      program_.communicators.push_back(members);
    }
    if (dice.percent(3)) program_.late.push_back(dice.between(1, ranks - 1));
    if (mpi) return;
    const int threaded = dice.between(1, std::min(ranks, kMostThreadedRanks - 1));
    for (int rank = 0; rank < threaded; ++rank) {
      for (int more = dice.between(1, lanes_ - 1); more > 0; --more) {
        program_.threads.push_back({rank, {}});
        // Most threads are known by a call before they first wait for another thread.
        if (dice.percent(85)) {
          const int stream = static_cast<int>(threads_of(program_, rank).size()) - 1;
          program_.threads.back().code.push_back({.op = Op::sync_stream, .stream = stream});
        }
      }
    }
  }

  void step() {
    const int kind = dice_.below(100);
    const int lane = dice_.below(lanes_);
    if (kind < 30) {
      collective(lane);
    } else if (kind < 45) {
      message(lane);
    } else if (kind < 55 && !program_.mpi) {
      handshake();
    } else if (kind < 60 && !program_.mpi) {
      signal();
    } else if (kind < 70) {
      mark(lane);
    } else {
      wait();
    }
  }

  Program take() { return std::move(program_); }

 private:
  int any_rank() { return dice_.below(static_cast<int>(program_.ranks.size())); }

  // The code of the thread of `rank` that has the lane.
  std::vector<Instruction>& code(int rank, int lane) {
    std::vector<std::vector<Instruction>*> all{&program_.ranks[static_cast<std::size_t>(rank)]};
    for (HostThread& thread : program_.threads) {
      if (thread.rank == rank) all.push_back(&thread.code);
    }
    return *all[static_cast<std::size_t>(lane) % all.size()];
  }

  // Whether a group may go on behind what the thread calls last.
  bool is_open(const std::vector<Instruction>& code) const {
    return !code.empty() && !is_mpi(program_, code.back()) &&
           (code.back().joined || is_communication(code.back().op));
  }

  void add(int rank, Instruction call, bool joins = false) {
    std::vector<Instruction>& own = code(rank, call.stream);
    call.joined = joins && is_open(own);
    own.push_back(call);
  }

  void collective(int lane) {
    Instruction call{.op = draw_collective(dice_),
                     .size = draw_size(dice_),
                     .communicator = lane,
                     .stream = lane};
    if (is_mpi(program_, call)) call = {.op = Op::all_reduce, .communicator = lane, .stream = lane};
    const std::vector<int>& members = program_.communicators[static_cast<std::size_t>(lane)];
    if (has_peer(call.op)) call.peer = dice_.below(static_cast<int>(members.size()));
    const bool joins = dice_.percent(20) && !is_mpi(program_, call);
    for (const int rank : members) add(rank, call, joins);
  }

  void message(int lane) {
    const int ranks = static_cast<int>(program_.ranks.size());
    if (program_.communicators[static_cast<std::size_t>(lane)].size() == 1) return collective(lane);
    const int sender = any_rank();
    const int receiver = (sender + dice_.between(1, ranks - 1)) % ranks;
    Instruction call{.op = Op::send,
                     .size = draw_size(dice_),
                     .communicator = lane,
                     .peer = receiver,
                     .stream = lane};
    add(sender, call);
    call.op = Op::recv;
    call.peer = sender;
    add(receiver, call);
  }

  // One thread of a rank waits for another. Each thread takes from a counter of its own.
  void handshake() {
    const int rank = any_rank();
    const int from = dice_.below(lanes_);
    const int to = dice_.below(lanes_);
    const int counter =
        static_cast<int>(static_cast<std::size_t>(to) % threads_of(program_, rank).size());
    code(rank, from).push_back({.op = Op::post, .event = counter});
    code(rank, to).push_back({.op = Op::await, .event = counter});
  }

  // The thread of lane 0 of another rank waits for it.
  void signal() {
    const int ranks = static_cast<int>(program_.ranks.size());
    const int from = any_rank();
    const int to = (from + dice_.between(1, ranks - 1)) % ranks;
    code(from, dice_.below(lanes_)).push_back({.op = Op::kick, .peer = to});
    code(to, 0).push_back({.op = Op::await, .event = kSignalled});
  }

  void mark(int lane) {
    if (program_.mpi) lane %= kMpiStream;
    const int rank = any_rank();
    code(rank, lane).push_back({.op = Op::record_event, .stream = lane, .event = lane});
    code(rank, dice_.below(lanes_)).push_back({.op = Op::sync_event, .event = lane});
  }

  // Perhaps inside a group.
  void wait() {
    constexpr std::array kWaits{Op::sync_stream, Op::sync_device, Op::copy, Op::free, Op::nap};
    Instruction call{.op = kWaits.at(static_cast<std::size_t>(dice_.below(kWaits.size()))),
                     .stream = dice_.below(program_.mpi ? kMpiStream : kMaxStreams)};
    std::vector<Instruction>& own = code(any_rank(), dice_.below(lanes_));
    call.joined = is_open(own) && dice_.percent(20);
    own.push_back(call);
  }

  Dice& dice_;
  Program program_;
  int lanes_ = 0;
};

Program draw_lanes(Dice& dice, int size, bool mpi) {
  Threaded threaded(dice, mpi);
  const int most = 2 + size * (kMostThreadedSteps - 2) / 100;
  for (int left = dice.between(2, most); left > 0; --left) threaded.step();
  Program program = threaded.take();
  if (dice.percent(70)) {
    for (int left = dice.between(1, kMostThreadedFaults); left > 0; --left) {
      add_fault(program, dice);
    }
  }
  return program;
}

}  // namespace

Program draw_threaded(Dice& dice, int size) { return draw_lanes(dice, size, false); }
Program draw_with_mpi(Dice& dice, int size) { return draw_lanes(dice, size, true); }

}  // namespace gridlock::fuzz
