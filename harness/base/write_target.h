// Finds where a write to a path must go, so that a link stays a link, and a device a device.
#pragma once

#include <filesystem>

#include "harness/base/file_descriptor.h"

namespace gridlock {

class WriteTarget {
 public:
  explicit WriteTarget(const std::filesystem::path& path);

  // The file itself, after all links. It may not exist yet.
  const std::filesystem::path& file() const { return file_; }
  // Whether it is a pipe, a device or one of our descriptors (/dev/stdout, a shell's >(COMMAND)).
  // No other file may replace it, and written text cannot be taken back.
  bool is_stream() const { return is_stream_; }
  // Whether the stream may be written. Does not open it, because a pipe's reader would take opening
  // and closing for the end of its input.
  bool may_stream() const;
  // The stream, opened for writing. If that fails, it is not open, and errno is set. A pipe without
  // a reader is an error, because waiting for one could take for ever.
  FileDescriptor open_stream() const;

 private:
  std::filesystem::path file_;
  int own_descriptor_ = -1;
  bool is_stream_ = false;
};

}  // namespace gridlock
