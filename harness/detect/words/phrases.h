// The one place that puts a verdict's phrases into English.
#pragma once

#include <cstddef>
#include <string>

#include "harness/detect/verdict/phrases.h"

namespace gridlock::detect {

// For a fault: the predicate for this many ranks, "exited with code 0 after all_reduce #3". For a
// step of a cycle: the rank and its place. For an assumption: a clause. For a note: a sentence.
std::string text_of(const Phrase& phrase, std::size_t ranks = 1);

}  // namespace gridlock::detect
