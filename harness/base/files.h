// Reads and writes whole files: a reader finds the old content or the new, never a part of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridlock {

// Writes `text` to `path`. At every moment, either the old or the new content is complete. Follows
// links. To a pipe or a device, it appends the text.
//   Errors   MachineError, for example on a full disk; the old content is then still there, and
//            the error says so if there was any
//   Blocks   while a pipe is full
void write_file(const std::filesystem::path& path, std::string_view text);

// Checks that write_file() can write `path`. Leaves no file if there is none. An existing file
// keeps its content, and a pipe or a device gets nothing.
//   Errors   MachineError if it cannot
void check_writable(const std::filesystem::path& path);

// Content of the file at `path`.
//   Errors   UsageError if it cannot be read
std::string read_file(const std::filesystem::path& path);

}  // namespace gridlock
