// The written report of a session.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/results.h"

namespace gridlock::report {

// The machine, the table of verdicts and figures with their numbers of repetitions, and the
// explanation of every variant that did not complete.
std::string to_markdown(const Results& results);

// `text` as a table cell: bars are escaped, because they would end the cell, and line breaks become
// spaces, because they would end the row.
std::string cell(std::string_view text);

// "sim, 2 x Intel …, commit 1a2b3c": where the figures are from.
std::string machine_text(const Context& context);

}  // namespace gridlock::report
