// How ranks that mpiexec started have ended. Its own exit status means little, so the ranks report
// their ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/job.h"

namespace gridlock::run {

// How the ranks have ended, as far as their `reports` say; of one that has not reported it is how
// mpiexec has ended, where it has.
std::vector<RankEnd> ends_under_mpiexec(const std::optional<processes::Ending>& ending,
                                        const std::string& output,
                                        const std::vector<std::string>& reports);

}  // namespace gridlock::run
