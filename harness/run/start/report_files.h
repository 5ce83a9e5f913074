// Memory files for the reports of ranks that another launcher starts. Such a launcher may close
// descriptors that a rank would inherit, so a rank opens its file by path.
#pragma once

#include <string>
#include <vector>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {

class ReportFiles {
 public:
  //   Errors   MachineError if they cannot be made
  explicit ReportFiles(int count);

  int count() const { return static_cast<int>(files_.size()); }
  // The path by which the rank opens its file; valid while this process lives.
  std::string path(int rank) const;
  // What the rank has written, at most kReportBound bytes.
  std::string text(int rank) const;

 private:
  std::vector<FileDescriptor> files_;
};

}  // namespace gridlock::run
