// Answers for people and for tools.
#pragma once

#include <string>
#include <vector>

#include "harness/claims/decide.h"

namespace gridlock::claims {

// Each claim with its answer and the runs that show it, no line wider than `columns`, and a count.
std::string to_text(const std::vector<Decided>& decided, std::size_t columns);

// A table for a page.
std::string to_markdown(const std::vector<Decided>& decided);

// Schema gridlock.claims/1: the context of the runs, and for each claim its answer and its runs.
std::string to_json(const std::vector<Decided>& decided, const report::Context& context);

// "40 claims: 20 confirmed, 6 refuted, …; 2 differ from the prediction".
std::string count_text(const std::vector<Decided>& decided);

}  // namespace gridlock::claims
