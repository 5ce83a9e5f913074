// Finds the installation by looking for the recorder.
#include "harness/catalogue/installation.h"

#include <fmt/format.h>
#include <glob.h>

#include <cstdlib>

#include "harness/base/error.h"

namespace gridlock::catalogue {
namespace {

namespace fs = std::filesystem;

// Library folders differ by system: lib, lib64, lib/x86_64-linux-gnu.
std::vector<fs::path> installed_places(const fs::path& prefix) {
  std::vector<fs::path> places;
  glob_t found{};
  const std::string one = (prefix / "lib*" / "gridlock").string();
  const std::string two = (prefix / "lib" / "*" / "gridlock").string();
  glob(one.c_str(), 0, nullptr, &found);
  glob(two.c_str(), GLOB_APPEND, nullptr, &found);
  for (std::size_t i = 0; i < found.gl_pathc; ++i) places.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return places;
}

}  // namespace

fs::path Installation::headers() const {
  std::error_code error;
  if (fs::path built = root / "include"; fs::exists(built, error)) return built;
  // Library folders differ, and so does how far they lie below the prefix.
  fs::path prefix = root;
  while (prefix.has_relative_path()) {
    prefix = prefix.parent_path();
    if (fs::path found = prefix / "include" / "gridlock-sim"; fs::exists(found, error))
      return found;
  }
  return root / "include";
}

Installation find_installation() {
  std::vector<fs::path> places;
  if (const char* home = std::getenv("GRIDLOCK_HOME")) {
    places.emplace_back(home);
  } else {
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    places.push_back(folder);
    for (fs::path& place : installed_places(folder.parent_path())) {
      places.push_back(std::move(place));
    }
  }
  std::string looked_at;
  for (const fs::path& place : places) {
    Installation installation{.root = place};
    std::error_code error;
    if (fs::exists(installation.recorder(), error)) return installation;
    looked_at += fmt::format("{}{}", looked_at.empty() ? "" : ", ", place.string());
  }
  throw MachineError(
      fmt::format("libgridlock_recorder.so is in none of: {}; build or install "
                  "Gridlock completely, or set GRIDLOCK_HOME to its folder",
                  looked_at));
}

}  // namespace gridlock::catalogue
