// Recognizes our files by the names that we write.
#include "harness/session/results/kept_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

bool is_kept_file(const fs::directory_entry& entry) {
  std::string name = entry.path().filename().string();
  // A killed session may have left a file that it had begun to write.
  if (name.ends_with(".new")) name.resize(name.size() - 4);
  return fs::is_regular_file(entry.symlink_status()) &&
         (name == kKeptOutput || name == kKeptEnds || rank_of_kept_box(name) >= 0);
}

// A link counts as a file, because its target is not ours.
bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

}  // namespace

std::string kept_box(int rank) { return fmt::format("rank{}.box", rank); }

int rank_of_kept_box(std::string_view name) {
  constexpr std::string_view kBefore = "rank";
  int rank = -1;
  if (name.starts_with(kBefore)) {
    std::from_chars(name.data() + kBefore.size(), name.data() + name.size(), rank);
  }
  return name == kept_box(rank) ? rank : -1;
}

fs::path foreign_in(const fs::path& runs) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(runs, error))) return {};
  if (!is_folder(runs)) return runs;
  for (const fs::directory_entry& run : fs::directory_iterator(runs, error)) {
    if (!is_folder(run.path())) return run.path();
    const fs::directory_iterator files(run.path(), error);
    const auto foreign = std::find_if_not(begin(files), end(files), is_kept_file);
    if (foreign != end(files)) return foreign->path();
    if (error) return run.path();
  }
  return error ? runs : fs::path();
}

}  // namespace gridlock::session
