// What each rank can do alone or with one neighbor. These figures are the rank's own, whereas in a
// collective all ranks wait for the slowest.
#pragma once

#include <cstddef>
#include <string>

#include "benchmarks/collective_operations.h"

namespace gridlock {

struct OwnMeasurement {
  const char* name;
  double bus_factor;  // of the bytes given
  // Seconds of this rank for one operation on `count` floats, averaged over `repetitions`.
  //   Collective, Blocks
  double (*seconds)(World& world, std::size_t count, int repetitions);
  // What is wrong with its result, or "".
  //   Collective, Blocks
  std::string (*verify)(World& world, std::size_t count);
};

// pair: sends to and receives from each neighbor of the ring in turn, so that no rank has two
// partners at once. The faster of the two counts, so a slow rank makes no neighbor look slow.
// copy: from device memory to device memory, all ranks at once; read and written bytes count.
std::span<const OwnMeasurement> own_measurements();

// The neighbor with which rank `me` of `n` exchanges in a round; -1: none. Every two neighbors meet
// in exactly one of the rounds.
int partner(int n, int me, int round);
int rounds(int n);

}  // namespace gridlock
