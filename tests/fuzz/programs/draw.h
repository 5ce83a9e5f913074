// Draws random programs, and simplifies a program in every way that leaves it well formed.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

// A stream of random numbers that is the same on every machine (Steele, Lea, Flood 2014: splitmix).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool percent(int chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

// Only ranks and communicators. Few ranks are drawn more often than many, because they find as many
// faults and cost less.
Program draw_communicators(Dice& dice);
Size draw_size(Dice& dice);
Op draw_collective(Dice& dice);

// A program that every rank finishes: a global order of operations, seen from each rank. `size`
// grows from 0 to 100 and bounds the number of operations.
Program draw_healthy(Dice& dice, int size);

// A healthy program with one to three faults: a call dropped, repeated, moved, changed, put on
// another stream or taken out of its group; a wait added; a communicator given up; an early return.
// It may still be healthy.
Program draw_broken(Dice& dice, int size);

// A program whose ranks draw their calls independently of each other.
Program draw_wild(Dice& dice, int size);

// A program in which some ranks have several threads, each with communicators and a stream of its
// own. Most of them have faults.
Program draw_threaded(Dice& dice, int size);

// A program that also splits and destroys communicators. Most of them have faults.
Program draw_with_gatherings(Dice& dice, int size);

// A program that calls NCCL and MPI. Most of them have faults.
Program draw_with_mpi(Dice& dice, int size);

// Puts one fault into a program that leaves it well formed, or nothing.
void add_fault(Program& program, Dice& dice);

// Programs that are one step simpler, the simplest first. Each is well formed.
std::vector<Program> simpler(const Program& program);

}  // namespace gridlock::fuzz
