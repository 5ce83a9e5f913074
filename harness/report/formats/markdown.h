// The written report of a session.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/results.h"

namespace gridlock::report {

// Machine, table of verdicts and figures with their repetition counts, and the explanation of every
// variant that did not complete.
std::string to_markdown(const Results& results);

// `text` as a cell of a table: a bar would end the cell, and a line break the row.
std::string cell(std::string_view text);

// "sim, 2 x Intel …, commit 1a2b3c": where the figures are from.
std::string machine_text(const Context& context);

}  // namespace gridlock::report
