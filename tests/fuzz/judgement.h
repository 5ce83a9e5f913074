// Compares the oracle's and the detector's answers on one program.
#pragma once

#include <string>

#include "tests/fuzz/oracle.h"
#include "tests/fuzz/program.h"
#include "tests/fuzz/trial.h"

namespace gridlock::fuzz {

struct Judgement {
  Foresight foresight;
  Trial trial;
  std::string disagreement;  // "" if both say the same, otherwise what each says
};

// Blocks   until the program has run
Judgement judge(const Program& program, std::chrono::milliseconds patience = kPatience);

}  // namespace gridlock::fuzz
