// Finds profiles in a folder of TOML files.
#include "harness/accept/profile/shipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "harness/base/error.h"
#include "harness/base/names.h"

namespace gridlock::accept {

namespace fs = std::filesystem;

std::vector<std::string> shipped(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path profile_file(const fs::path& folder, const std::string& asked) {
  std::error_code error;
  const bool is_path = asked.find('/') != std::string::npos || asked.ends_with(".toml");
  fs::path file = is_path ? fs::path(asked) : folder / (asked + ".toml");
  if (fs::is_regular_file(file, error)) return file;
  if (is_path) {
    throw UsageError(
        fmt::format("there is no profile {}; gridlock accept --list names the "
                    "shipped ones",
                    asked));
  }
  const std::vector<std::string> names = shipped(folder);
  const std::string near = nearest(asked, names);
  throw UsageError(fmt::format(
      "there is no profile \"{}\"; {}", asked,
      near.empty() ? fmt::format("there are {}, or give the path of a file", fmt::join(names, ", "))
                   : fmt::format("did you mean {}?", near)));
}

// FNV-1a, 64 bits: it protects against mistakes, not against malice.
std::string digest_of(const std::vector<std::string>& parts) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  const auto mix = [&](unsigned char byte) { digest = (digest ^ byte) * 0x100000001b3U; };
  for (const std::string& part : parts) {
    for (const char letter : part) mix(static_cast<unsigned char>(letter));
    mix(0);
  }
  return fmt::format("{:016x}", digest);
}

}  // namespace gridlock::accept
