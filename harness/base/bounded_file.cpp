// Reads one byte more than allowed, to notice a file that grows meanwhile.
#include "harness/base/bounded_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "harness/base/error.h"

namespace gridlock {

namespace fs = std::filesystem;

namespace {

UsageError too_large(const fs::path& path, std::size_t most) {
  return UsageError(
      fmt::format("{} is larger than {} MiB, which no session writes", path.string(), most >> 20U));
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t most) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw UsageError(fmt::format("{} is no ordinary file", path.string()));
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > most) throw too_large(path, most);
  std::ifstream file(path, std::ios::binary);
  std::string text(std::min<std::uintmax_t>(size, most) + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !file.is_open()) {
    throw UsageError(
        fmt::format("cannot read {}: {}", path.string(), std::generic_category().message(errno)));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most) throw too_large(path, most);
  return text;
}

}  // namespace gridlock
