// The results folder of a session. The session locks it while it writes. Every file in it is
// complete at any moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/file_descriptor.h"

namespace gridlock::session {

// What happens to the runs that an earlier session left in the folder. Only files that Gridlock has
// written are removed.
enum class Earlier : std::uint8_t { remove, keep };

class ResultsFolder {
 public:
  // `wanted`, or results/<utc>-<backend> if that is empty. Creates the folder if it does not exist.
  //   Errors   UsageError if it cannot be written, if another session is writing into it, or if
  //            runs to be removed contain a file that is not Gridlock's
  ResultsFolder(const std::filesystem::path& wanted, const std::string& backend,
                Earlier earlier = Earlier::remove);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;
  ~ResultsFolder();

  const std::filesystem::path& path() const { return path_; }
  // Creates a run's own folder, and returns its path.
  std::filesystem::path run_folder(const std::string& name) const;
  // Lets results/latest point here, if this folder is in results/.
  void make_latest() const;

 private:
  void lock();

  std::filesystem::path path_;
  bool is_default_;
  FileDescriptor lock_;
};

// The time now as 2026-01-31T23:59:59Z, or if `compact` as 20260131T235959Z, for names.
std::string utc_now(bool compact = false);

}  // namespace gridlock::session
