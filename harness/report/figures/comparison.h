// Compares two sessions.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

struct Comparison {
  std::string text;            // one line per variant that either session ran, then a sentence
  int differing_verdicts = 0;  // variants whose verdicts are not the same
};

Comparison compare(const Results& base, const Results& fresh);

}  // namespace gridlock::report
