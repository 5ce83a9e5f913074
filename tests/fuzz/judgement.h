// Compares the oracle's and the detector's answers on one program.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/live/trial.h"
#include "tests/fuzz/oracle/oracle.h"
#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

struct Judgement {
  Foresight foresight;
  Trial trial;
  std::string disagreement;  // "" if both say the same, otherwise what each says
};

// "" if the trial's end is one that is foretold, otherwise what each says. If not all ends of an
// open program are foretold, only what is wrong with every end counts.
std::string disagreement(const Program& program, const Foresight& foresight, const Trial& trial);

// The ranks that the verdict names as waiting, sorted.
std::vector<int> named_in(const detect::Verdict& verdict);

// Blocks   until the program has run
Judgement judge(const Program& program, std::chrono::milliseconds patience = kPatience);

}  // namespace gridlock::fuzz
