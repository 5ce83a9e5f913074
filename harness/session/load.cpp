// Reads results.json.
#include "harness/session/load.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/report/formats/json.h"

namespace gridlock::session {
namespace {

// Of twenty thousand runs it has about 40 MiB; read, it takes ten times the memory.
constexpr std::uintmax_t kMostResults = std::uintmax_t{256} << 20U;

}  // namespace

report::Results load_results(const std::filesystem::path& path) {
  const std::filesystem::path file =
      std::filesystem::is_directory(path) ? path / "results.json" : path;
  if (!std::filesystem::exists(file)) {
    throw UsageError(fmt::format("there are no results at {}: no results.json", path.string()));
  }
  std::error_code unknown;
  if (const auto size = std::filesystem::file_size(file, unknown); !unknown && size > kMostResults) {
    throw UsageError(fmt::format(
        "{} cannot be used as results: it is larger than {} MiB; repeat less often in one session",
        file.string(), kMostResults >> 20U));
  }
  const std::string text = read_file(file);
  try {
    return report::from_json(text);
  } catch (const report::BadResults& error) {
    throw UsageError(fmt::format("{} cannot be used as results: {}", file.string(), error.what()));
  }
}

}  // namespace gridlock::session
