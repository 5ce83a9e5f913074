// Reads and writes whole files. A reader finds the old content or the new one, never a part.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridlock {

// Writes `text` to `path` so that at every moment the old or the new content is there whole. A link
// is followed; a pipe or a device gets the text behind what it got before.
//   Errors   MachineError, on a full disk for example; the old content is then still there
//   Blocks   where a pipe is full, until somebody reads it
void write_file(const std::filesystem::path& path, std::string_view text);

// Whether write_file() can be used on `path`, found out by making it, empty, where there is none. A
// file that is there keeps what it holds; a pipe or a device gets nothing.
//   Errors   MachineError when it cannot
void check_writable(const std::filesystem::path& path);

// Content of the file at `path`.
//   Errors   UsageError when it cannot be read
std::string read_file(const std::filesystem::path& path);

}  // namespace gridlock
