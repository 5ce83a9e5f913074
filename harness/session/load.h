// Loads the results of an earlier session.
#pragma once

#include <filesystem>

#include "harness/report/results.h"

namespace gridlock::session {

// `path`: a results folder, or a results.json.
//   Errors   UsageError if there is none, or it is damaged
report::Results load_results(const std::filesystem::path& path);

}  // namespace gridlock::session
