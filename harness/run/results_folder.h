// The folder of a session: made for it alone, locked while it is written, whole at every moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/run/file_descriptor.h"

namespace gridlock::run {

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

// Writes `text` to `path` so that at every moment the old or the new content is there whole. A link
// is followed; a pipe or a device gets the text behind what it got before.
//   Errors   MachineError, on a full disk for example; the old content is then still there
//   Blocks   where a pipe is full, until somebody reads it
void write_file(const std::filesystem::path& path, std::string_view text);

// Whether write_file() can be used on `path`, found out by making it, empty, where there is none. A
// file that is there keeps what it holds; a pipe or a device gets nothing.
//   Errors   MachineError when it cannot
void check_writable(const std::filesystem::path& path);

// Content of the file at `path`.
//   Errors   UsageError when it cannot be read
std::string read_file(const std::filesystem::path& path);

// Now, as 2026-01-31T23:59:59Z; `compact`: as 20260131T235959Z, for names.
std::string utc_now(bool compact = false);

}  // namespace gridlock::run
