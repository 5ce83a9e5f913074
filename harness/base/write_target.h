// Where to write what goes to a path, so that a link stays a link and a device stays a device.
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
  // Whether the stream may be written, asked without opening it: a reader would take that for all.
  bool may_stream() const;
  // The stream, to be written from here on; not open, and errno set, when it cannot be. A pipe
  // that nobody reads is an error: to wait for a reader could take for ever.
  FileDescriptor open_stream() const;

 private:
  std::filesystem::path file_;
  int own_descriptor_ = -1;
  bool is_stream_ = false;
};

}  // namespace gridlock
