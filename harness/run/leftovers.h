// Processes that a job has left running.
#pragma once

#include <string>

namespace gridlock::run {

// Those below this agent when all ranks have ended: "4711 (sleep), 4712 (python3)"; "" if there are
// none.
//   Blocks   for as long as some that are about to end need, at most kLeftoverBound
std::string leftovers();

}  // namespace gridlock::run
