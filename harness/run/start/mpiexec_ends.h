// How ranks that mpiexec started have ended. mpiexec's own exit status means little, so the ranks
// report their ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/run/job.h"

namespace gridlock::run {

// How the ranks have ended according to their `reports`. A rank without a report has ended as
// mpiexec has, if it has ended.
std::vector<RankEnd> ends_under_mpiexec(const std::optional<processes::Ending>& ending,
                                        const std::string& output,
                                        const std::vector<std::string>& reports);

}  // namespace gridlock::run
