// Judges a program that does not run: the detector looks at boxes as they would be on one way
// through the oracle's machine.
#pragma once

#include <cstddef>
#include <string>

#include "tests/fuzz/programs/draw.h"
#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

// How the detector contradicts the oracle on a way that `dice` chooses, or "". Each look takes the
// ranks' boxes one after the other, in any order, while the others go on. No proof may name a rank
// that can still finish, and at the end of the way the verdict must be the oracle's.
struct PaperTrial {
  std::string disagreement;
  bool dead = false;
  bool undecided = false;  // it is dead, and the record cannot tell
  std::size_t looks = 0;
};
PaperTrial run_on_paper(const Program& program, Dice& dice);

}  // namespace gridlock::fuzz
