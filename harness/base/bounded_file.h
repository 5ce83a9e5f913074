// Files that may be anybody's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gridlock {

// Content of the file at `path`.
//   Errors   UsageError when it cannot be read, is no ordinary file, or holds more than `most`
//            bytes, of which no more are read
std::string read_file(const std::filesystem::path& path, std::size_t most);

}  // namespace gridlock
