// Where a write to a path must go, so that a link stays a link and a device a device.
#pragma once

#include <filesystem>

#include "harness/base/file_descriptor.h"

namespace gridlock {

class WriteTarget {
 public:
  explicit WriteTarget(const std::filesystem::path& path);

  // The file itself, behind all links. It may not exist yet.
  const std::filesystem::path& file() const { return file_; }
  // Whether it is a pipe, a device or a descriptor of ours (/dev/stdout, a shell's >(COMMAND)): no
  // other file may take its place, and what has been written cannot be taken back.
  bool is_stream() const { return is_stream_; }
  // Whether the stream may be written. Asked without opening it, because a pipe's reader would take
  // opening and closing for the end of its input.
  bool may_stream() const;
  // The stream, opened for writing; not open, and errno set, when that fails. A pipe without a
  // reader is an error, because waiting for one could take for ever.
  FileDescriptor open_stream() const;

 private:
  std::filesystem::path file_;
  int own_descriptor_ = -1;
  bool is_stream_ = false;
};

}  // namespace gridlock
