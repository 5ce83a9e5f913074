// Ranks that wait for each other in circles.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "tests/fuzz/oracle/places.h"

namespace gridlock::fuzz {

// Which ranks each one waits for, directly or through others. `waits_for`: by rank, directly.
std::vector<std::set<std::size_t>> closure(const std::vector<Ranks>& waits_for);

// Those of `among` that wait in circles if nobody else is there.
std::set<std::size_t> in_circles(const std::vector<Ranks>& waits_for,
                                 const std::set<std::size_t>& among);

// Those of `circle` without whom there is none; all of them if there is no such rank.
std::set<std::size_t> knots(const std::vector<Ranks>& waits_for,
                            const std::set<std::size_t>& circle);

}  // namespace gridlock::fuzz
