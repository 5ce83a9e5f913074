// Loads the results of an earlier session.
#pragma once

#include <filesystem>

#include "harness/report/results.h"

namespace gridlock::session {

// `path`: a results folder, or a results.json.
//   Errors   UsageError if there is none, it is damaged, or it is larger than 256 MiB
report::Results load_results(const std::filesystem::path& path);

// The results folder that `path` means: itself, or the folder that its file lies in.
std::filesystem::path folder_of(const std::filesystem::path& path);

}  // namespace gridlock::session
