// Reads results.json.
#include "harness/session/load.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/report/formats/json.h"

namespace gridlock::session {

report::Results load_results(const std::filesystem::path& path) {
  const std::filesystem::path file =
      std::filesystem::is_directory(path) ? path / "results.json" : path;
  if (!std::filesystem::exists(file)) {
    throw UsageError(fmt::format("there are no results at {}: no results.json", path.string()));
  }
  const std::string text = read_file(file);
  try {
    return report::from_json(text);
  } catch (const report::BadResults& error) {
    throw UsageError(fmt::format("{} cannot be used as results: {}", file.string(), error.what()));
  }
}

}  // namespace gridlock::session
