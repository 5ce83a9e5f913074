// Reads results.json.
#include "harness/session/results/load.h"

#include <fmt/format.h>

#include "harness/base/bounded_file.h"
#include "harness/base/error.h"
#include "harness/report/formats/json.h"

namespace gridlock::session {
namespace {

// Results are read as a whole, which takes ten times their size in memory. Twenty thousand runs
// have about 40 MiB.
constexpr std::size_t kResultsBound = std::size_t{256} << 20U;

}  // namespace

std::filesystem::path folder_of(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? path : path.parent_path();
}

report::Results load_results(const std::filesystem::path& path) {
  const std::filesystem::path file =
      std::filesystem::is_directory(path) ? path / "results.json" : path;
  if (!std::filesystem::exists(file)) {
    throw UsageError(fmt::format("there are no results at {}: no results.json", path.string()));
  }
  const std::string text = read_file(file, kResultsBound);
  try {
    return report::from_json(text);
  } catch (const report::BadResults& error) {
    throw UsageError(fmt::format("{} cannot be used as results: {}", file.string(), error.what()));
  }
}

}  // namespace gridlock::session
