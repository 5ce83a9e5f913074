// An owned file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace gridlock {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_ = -1;
};

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

// Makes a pipe that no child inherits unless it asks. Its reading end does not block.
//   Errors   MachineError if the process has no descriptors left
Pipe make_pipe();

// Lets this process open as many descriptors as the system allows. Each rank needs about five.
void raise_descriptor_limit();

}  // namespace gridlock
