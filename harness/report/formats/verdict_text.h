// A verdict for a person, on one screen.
#pragma once

#include <string>

#include "harness/detect/verdict/verdict.h"

namespace gridlock::report {

// "deadlock (rank_exited): rank 3 is to blame", without a newline.
std::string headline(const detect::Verdict& verdict);

// The headline, who waits where in groups of equal state, who is at fault, the cycle, what the
// proof assumes. Lines end with a newline. Long lists are cut, and say so.
std::string verdict_text(const detect::Verdict& verdict);

}  // namespace gridlock::report
