// Finds the scenarios that a command line names.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace gridlock::cli {

// The scenarios that `names` ask for, described for `ranks` ranks (0: their own number).
//   Errors   UsageError for a name that no scenario has
//   Blocks   until all programs have answered, at most kDescribeLimit each
std::vector<catalogue::Scenario> ask(const catalogue::Installation& installation,
                                     const std::string& backend,
                                     const std::vector<std::string>& names, int ranks,
                                     catalogue::NcclOrigin nccl = catalogue::NcclOrigin::own);

}  // namespace gridlock::cli
