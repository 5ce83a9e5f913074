// mkdir, flock, rename.
#include "harness/run/results_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>

#include "harness/run/error.h"
#include "harness/run/kept_run.h"
#include "harness/run/write_target.h"

namespace gridlock::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = ".lock";

std::string reason(int error_number) { return std::generic_category().message(error_number); }

// results/<utc>-<backend>, with a number behind it when two sessions begin in one second.
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

// Before anything is touched.
void refuse_foreign(const fs::path& runs) {
  const fs::path foreign = foreign_in(runs);
  if (foreign.empty()) return;
  throw UsageError(
      fmt::format("{} is not Gridlock's, which would clear {} for its own runs; "
                  "choose another folder with --output",
                  foreign.string(), runs.string()));
}

// What is written before it takes the place of the file.
fs::path fresh_beside(const WriteTarget& target) {
  fs::path fresh = target.file();
  fresh += ".new";
  return fresh;
}

FileDescriptor create(const fs::path& path) {
  return FileDescriptor(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666));
}

// 0, or the number of the error.
int write_all(const FileDescriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file.get(), text.data(), text.size());
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

ResultsFolder::ResultsFolder(const fs::path& wanted, const std::string& backend, Earlier earlier)
    : path_(wanted.empty() ? make_default(backend) : make_wanted(wanted)),
      is_default_(wanted.empty()) {
  const fs::path runs = path_ / "runs";
  if (earlier == Earlier::remove) refuse_foreign(runs);
  lock();
  if (earlier == Earlier::keep) return;
  // What an earlier session left here would pass for this one's.
  std::error_code ignored;
  fs::remove_all(runs, ignored);
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

void write_file(const fs::path& path, std::string_view text) {
  const WriteTarget target(path);
  if (target.is_stream()) {
    const FileDescriptor stream = target.open_stream();
    const int error = stream.is_open() ? write_all(stream, text) : errno;
    if (error != 0) {
      throw MachineError(fmt::format("cannot write into {}: {}", path.string(), reason(error)));
    }
    return;
  }
  const fs::path fresh = fresh_beside(target);
  const FileDescriptor file = create(fresh);
  int error = file.is_open() ? write_all(file, text) : errno;
  if (error == 0 && rename(fresh.c_str(), target.file().c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(fresh.c_str());
    throw MachineError(fmt::format("cannot write {}: {}; what was written before is still there",
                                   path.string(), reason(error)));
  }
}

void check_writable(const fs::path& path) {
  const WriteTarget target(path);
  if (target.is_stream()) {
    if (target.may_stream()) return;
    throw MachineError(fmt::format("cannot write into {}: {}", path.string(), reason(errno)));
  }
  std::error_code is_none;
  if (!fs::exists(target.file(), is_none)) return write_file(path, "");
  // What it holds stays until there is something to take its place.
  const fs::path fresh = fresh_beside(target);
  int error = fs::is_directory(target.file(), is_none) ? EISDIR : 0;
  if (error == 0 && !create(fresh).is_open()) error = errno;
  if (error != 0) {
    throw MachineError(fmt::format("cannot write {}: {}", path.string(), reason(error)));
  }
  unlink(fresh.c_str());
}

std::string read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw UsageError(fmt::format("{} is a folder, not a file", path.string()));
  }
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("cannot read {}: {}", path.string(), reason(errno)));
  return text.str();
}

std::string utc_now(bool compact) {
  const std::tm utc =
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  return compact ? fmt::format("{:%Y%m%dT%H%M%SZ}", utc)
                 : fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
}

}  // namespace gridlock::run
