// Memory files into which ranks report that another launcher starts. Such a launcher may close
// what a rank would inherit, so a rank opens its file by a path.
#pragma once

#include <string>
#include <vector>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {

class ReportFiles {
 public:
  //   Errors   MachineError when they cannot be made
  explicit ReportFiles(int count);

  int count() const { return static_cast<int>(files_.size()); }
  // Under which the rank opens its file; as long as this process lives.
  std::string path(int rank) const;
  // What the rank has written, at most kReportBound bytes of it.
  std::string text(int rank) const;

 private:
  std::vector<FileDescriptor> files_;
};

}  // namespace gridlock::run
