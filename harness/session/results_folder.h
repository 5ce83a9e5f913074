// The results folder of a session. The session locks it while it writes, and every file in it is
// whole at any moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/file_descriptor.h"

namespace gridlock::session {

// What becomes of the runs that an earlier session left in the folder. Only what Gridlock has
// written is removed.
enum class Earlier : std::uint8_t { remove, keep };

class ResultsFolder {
 public:
  // `wanted`, or results/<utc>-<backend> when it is empty; made where it does not exist.
  //   Errors   UsageError when it cannot be written, another session is writing into it, or its
  //            runs, which were to be removed, hold what is not Gridlock's
  ResultsFolder(const std::filesystem::path& wanted, const std::string& backend,
                Earlier earlier = Earlier::remove);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;
  ~ResultsFolder();

  const std::filesystem::path& path() const { return path_; }
  // Path of a run's own folder, made now.
  std::filesystem::path run_folder(const std::string& name) const;
  // Lets results/latest point here, where this is a folder of results/.
  void make_latest() const;

 private:
  void lock();

  std::filesystem::path path_;
  bool is_default_;
  FileDescriptor lock_;
};

// Now, as 2026-01-31T23:59:59Z; `compact`: as 20260131T235959Z, for names.
std::string utc_now(bool compact = false);

}  // namespace gridlock::session
