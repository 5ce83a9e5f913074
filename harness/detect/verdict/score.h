// How far a verdict is right, in steps.
#pragma once

#include "harness/detect/verdict/expectation.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

struct Score {
  // 0: wrong outcome. 1: hang seen. 2: right cause. 3: right communicator and slot. 4: right
  // culprit ranks. 5: right call, label and caller, and nobody else accused. Only 5 counts as
  // right.
  int steps = 0;
  int noise = 0;  // ranks accused that are not declared to be culprits
};

Score score(const Verdict& verdict, const Expectation& expectation);

// Whether a job with this outcome hung and ended only because it was killed.
inline bool hangs(Outcome outcome) {
  return outcome == Outcome::deadlock || outcome == Outcome::stall;
}

}  // namespace gridlock::detect
