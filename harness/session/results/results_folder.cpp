// Makes, locks and clears a results folder.
#include "harness/session/results/results_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "harness/base/error.h"
#include "harness/session/results/kept_run.h"
#include "harness/session/results/timelines.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = ".lock";

std::string reason(int error_number) { return std::generic_category().message(error_number); }

// results/<utc>-<backend>, with a number after it if two sessions begin in the same second.
fs::path make_default(const std::string& backend) {
  std::error_code error;
  fs::create_directories("results", error);
  const std::string name = fmt::format("{}-{}", utc_now(true), backend);
  constexpr int kTries = 1000;
  for (int i = 1; i < kTries && !error; ++i) {
    fs::path path = fs::path("results") / (i == 1 ? name : fmt::format("{}-{}", name, i));
    if (fs::create_directory(path, error)) return path;
  }
  throw UsageError(fmt::format("cannot make a folder in {}: {}; choose another with --output",
                               fs::absolute("results").string(),
                               error ? error.message() : "every name is taken"));
}

fs::path make_wanted(const fs::path& wanted) {
  std::error_code error;
  fs::create_directories(wanted, error);
  if (error) {
    throw UsageError(fmt::format("cannot make the folder {}: {}; choose another with --output",
                                 wanted.string(), error.message()));
  }
  return wanted;
}

// Refuses before it touches anything.
void refuse_foreign(const fs::path& runs, const fs::path& foreign) {
  if (foreign.empty()) return;
  throw UsageError(
      fmt::format("{} is not Gridlock's, which would clear {} for its own runs; "
                  "choose another folder with --output",
                  foreign.string(), runs.string()));
}

}  // namespace

ResultsFolder::ResultsFolder(const fs::path& wanted, const std::string& backend, Earlier earlier)
    : path_(wanted.empty() ? make_default(backend) : make_wanted(wanted)),
      is_default_(wanted.empty()) {
  const fs::path runs = path_ / "runs";
  const fs::path timelines = path_ / kTimelines;
  if (earlier == Earlier::remove) {
    refuse_foreign(runs, foreign_in(runs));
    refuse_foreign(timelines, foreign_in_timelines(timelines));
  }
  lock();
  if (earlier == Earlier::keep) return;
  // Otherwise an earlier session's files would pass for this session's.
  std::error_code ignored;
  fs::remove_all(runs, ignored);
  fs::remove_all(timelines, ignored);
  fs::remove(path_ / kOddRuns, ignored);
}

ResultsFolder::~ResultsFolder() {
  std::error_code ignored;
  fs::remove(path_ / kLockName, ignored);
}

void ResultsFolder::lock() {
  const fs::path file = path_ / kLockName;
  lock_ = FileDescriptor(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  if (!lock_.is_open()) {
    throw UsageError(fmt::format("cannot write into {}: {}; choose another with --output",
                                 path_.string(), reason(errno)));
  }
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw UsageError(
        fmt::format("another session is writing into {}; choose another folder with "
                    "--output, or wait for it",
                    path_.string()));
  }
}

fs::path ResultsFolder::run_folder(const std::string& name) const {
  fs::path folder = path_ / "runs" / name;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw MachineError(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  }
  return folder;
}

void ResultsFolder::make_latest() const {
  if (!is_default_) return;
  const fs::path link = path_.parent_path() / "latest";
  const fs::path fresh = path_.parent_path() / (path_.filename().string() + ".latest");
  std::error_code ignored;
  fs::create_symlink(path_.filename(), fresh, ignored);
  fs::rename(fresh, link, ignored);
  if (ignored) fs::remove(fresh, ignored);
}

std::string utc_now(bool compact) {
  const std::tm utc =
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  return compact ? fmt::format("{:%Y%m%dT%H%M%SZ}", utc)
                 : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
}

}  // namespace gridlock::session
