// Reads files that may come from anyone, up to a bound.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gridlock {

// Content of the file at `path`.
//   Errors   UsageError if it cannot be read, is no ordinary file, or holds more than `most` bytes;
//   no more than that is read
std::string read_file(const std::filesystem::path& path, std::size_t most);

}  // namespace gridlock
