// The one place where what a verdict says becomes English.
#pragma once

#include <cstddef>
#include <string>

#include "harness/detect/verdict/phrases.h"

namespace gridlock::detect {

// Of a fault the predicate of its ranks, of which there are so many: "exited with code 0 after
// all_reduce #3". Of a step of a cycle the rank and its place, of an assumption a clause, of a note
// a sentence.
std::string text_of(const Phrase& phrase, std::size_t ranks = 1);

}  // namespace gridlock::detect
