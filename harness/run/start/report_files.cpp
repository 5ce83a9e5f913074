// Makes and reads the memory files.
#include "harness/run/start/report_files.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/error.h"
#include "harness/base/limits.h"

namespace gridlock::run {

ReportFiles::ReportFiles(int count) {
  for (int rank = 0; rank < count; ++rank) {
    files_.emplace_back(memfd_create("gridlock-report", MFD_CLOEXEC));
    if (!files_.back().is_open()) throw machine_error("cannot make a file for reports", errno);
  }
}

std::string ReportFiles::path(int rank) const {
  return fmt::format("/proc/{}/fd/{}", getpid(), files_[static_cast<std::size_t>(rank)].get());
}

std::string ReportFiles::text(int rank) const {
  std::string text(kReportBound, '\0');
  const ssize_t size =
      pread(files_[static_cast<std::size_t>(rank)].get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace gridlock::run
