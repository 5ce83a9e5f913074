// Where ranks wait in the end, and whom they miss there.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/fuzz/oracle/machine.h"

namespace gridlock::fuzz {

using Ranks = std::vector<std::size_t>;

bool holds(const Ranks& ranks, std::size_t rank);

// Where ranks wait for others: a slot of a communicator, or a message.
struct Machine::Place {
  std::size_t operation = 0;  // one of those that wait there
  Ranks waiting;
  Ranks missing;             // that have not come; sorted
  Ranks absent;              // those of `missing` that have not even called
  Ranks callers;             // sorted
  std::vector<Ranks> sides;  // callers whose calls fit each other
  std::size_t members = 2;
  std::size_t came = 0;
};

}  // namespace gridlock::fuzz
