// A verdict as text: in a line, within one screen, and as a paragraph.
#pragma once

#include <string>

#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// "deadlock (rank_exited): rank 3 is to blame", without a newline.
std::string headline(const Verdict& verdict);

// The headline, who waits where in groups of equal state, who is at fault, the cycle, what the
// proof assumes. Lines end with a newline. Long lists are cut, and say so.
std::string verdict_text(const Verdict& verdict);

// The same in whole sentences, without the cycle and the assumptions; "" if there is nothing to
// explain.
std::string explanation(const Verdict& verdict);

}  // namespace gridlock::detect
