// Compares links in /proc/<pid>/fd, which are equal if two descriptors lead to the same pipe or
// socket. Files have several paths, so files are compared by their numbers.
#include "harness/run/look/kernel/holders.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "harness/base/directory.h"
#include "harness/run/look/kernel/proc.h"
#include "harness/run/look/kernel/socket_peer.h"

namespace gridlock::run {
namespace {

using Keys = std::vector<record::ProcessKey>;

constexpr std::string_view kEvents = "anon_inode:[eventfd]";
constexpr std::string_view kTimer = "anon_inode:[timerfd]";
constexpr std::string_view kProcess = "anon_inode:[pidfd]";
constexpr std::string_view kPolls = "anon_inode:[eventpoll]";
// Of our own making: the kernel's links hold paths here.
constexpr std::string_view kNamedPipe = "named pipe:";
constexpr std::string_view kRegular = "file:";

std::string info_of(pid_t pid, const std::string& number) {
  return proc_text(fmt::format("/proc/{}/fdinfo/{}", pid, number));
}

// Whether the process has given work to the kernel (Linux AIO, io_uring), which may add to a
// counter when it is done.
bool may_be_signalled_by_kernel(pid_t pid) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[aio]") != std::string::npos || line.find("[io_uring]") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// A named pipe or a regular file; "" for a device and the like, which nobody needs to hold.
std::string text_of_file(pid_t pid, const std::string& number) {
  struct stat file{};
  if (stat(fmt::format("/proc/{}/fd/{}", pid, number).c_str(), &file) != 0) return "";
  if (!S_ISFIFO(file.st_mode) && !S_ISREG(file.st_mode)) return "";
  return fmt::format("{}{}:{}", S_ISREG(file.st_mode) ? kRegular : kNamedPipe, file.st_dev,
                     file.st_ino);
}

// Where a descriptor leads, as a text that is equal for all descriptors that lead there; "" if
// there is no such text.
std::string file_of(pid_t pid, const std::string& number) {
  std::array<char, 256> link{};
  const ssize_t size =
      readlink(fmt::format("/proc/{}/fd/{}", pid, number).c_str(), link.data(), link.size() - 1);
  const std::string_view target(link.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (target.starts_with("pipe:") || target.starts_with("socket:")) return std::string(target);
  if (target == kTimer || target == kPolls || target == kProcess) return std::string(target);
  if (target.starts_with("/")) return text_of_file(pid, number);
  if (target != kEvents || may_be_signalled_by_kernel(pid)) return "";
  // All eventfd counters have the same link; newer kernels tell which one it is.
  const std::string info = info_of(pid, number);
  const std::size_t at = info.find("eventfd-id:");
  return at == std::string::npos ? "" : info.substr(at, info.find('\n', at) - at);
}

// Whether the file that the set's line names is still at that descriptor.
bool is_same_file(pid_t pid, int number, const std::string& line) {
  struct stat file{};
  const std::size_t at = line.find("ino:");
  return at != std::string::npos &&
         stat(fmt::format("/proc/{}/fd/{}", pid, number).c_str(), &file) == 0 &&
         file.st_ino == std::strtoull(line.c_str() + at + 4, nullptr, 16);
}

bool is_disarmed(const std::string& info) {
  return info.find("it_value: (0, 0)") != std::string::npos;
}

}  // namespace

bool Holders::add_folder(const std::string& folder, pid_t pid, record::ProcessKey process) {
  const Directory directory = open_directory(folder);
  if (!directory) return false;  // gone, or another user's: see docs/actors.md
  bool any = false;
  while (const dirent* found = readdir(directory.get())) {
    if (found->d_name[0] == '.') continue;
    any = true;
    std::string file = file_of(pid, found->d_name);
    struct stat link{};
    if (file.empty() || lstat((folder + "/" + found->d_name).c_str(), &link) != 0) continue;
    holders_[std::move(file)].push_back({.process = process,
                                         .reads = (link.st_mode & S_IRUSR) != 0,
                                         .writes = (link.st_mode & S_IWUSR) != 0});
  }
  return any;
}

void Holders::add_holders(pid_t pid, record::ProcessKey process) {
  if (add_folder(fmt::format("/proc/{}/fd", pid), pid, process) || process == kStranger) return;
  // Its first thread may have ended. Then only the others show what the process holds. Each of
  // them is found at /proc too.
  const Directory threads = open_directory(fmt::format("/proc/{}/task", pid));
  while (const dirent* found = threads ? readdir(threads.get()) : nullptr) {
    const pid_t tid = std::atoi(found->d_name);  // "." gives 0
    if (tid > 0 && add_folder(fmt::format("/proc/{}/fd", tid), tid, process)) return;
  }
}

void Holders::find_holders() {
  if (were_found_) return;
  were_found_ = true;
  const Directory processes = open_directory("/proc");
  if (!processes) return;
  while (const dirent* found = readdir(processes.get())) {
    if (found->d_name[0] < '0' || found->d_name[0] > '9') continue;
    const pid_t pid = std::atoi(found->d_name);  // digits only
    const auto of_job =
        std::find_if(job_.begin(), job_.end(), [&](const auto& one) { return one.pid == pid; });
    add_holders(pid, of_job == job_.end() ? kStranger : of_job->key);
  }
}

bool Holders::add(const std::string& file, Wanted wanted, Keys& wakers) {
  find_holders();
  const auto found = holders_.find(file);
  if (found == holders_.end()) return true;
  for (const Holder& holder : found->second) {
    const bool counts =
        wanted == Wanted::anything || (wanted == Wanted::data ? holder.writes : holder.reads);
    if (!counts) continue;
    if (holder.process == kStranger) return false;
    if (std::find(wakers.begin(), wakers.end(), holder.process) == wakers.end()) {
      wakers.push_back(holder.process);
    }
  }
  return true;
}

std::optional<Keys> Holders::of_socket(pid_t pid, int number, const std::string& file) {
  const std::optional<std::string> peer = socket_peer(pid, number, file);
  Keys wakers;
  if (!peer || !add(file, Wanted::anything, wakers)) return {};
  // A peer that no process holds is closed, or is being passed in a message: its holder is unknown.
  if (!add(*peer, Wanted::anything, wakers) || holders_.find(*peer) == holders_.end()) return {};
  return wakers;
}

std::optional<Keys> Holders::of_epoll(pid_t pid, int number) {
  // "tfd:        5 events:       19 data: … pos:0 ino:6a sdev:10", one line per descriptor in the
  // set.
  std::istringstream lines(info_of(pid, std::to_string(number)));
  // Who holds the set may change it. All sets have the same link, so whoever of the job has one
  // counts.
  find_holders();
  Keys wakers;
  for (const Holder& holder : holders_[std::string(kPolls)]) {
    if (holder.process != kStranger) wakers.push_back(holder.process);
  }
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("tfd:")) continue;
    const int watched = std::atoi(line.c_str() + 4);
    if (!is_same_file(pid, watched, line)) return {};
    const auto more = this->wakers(pid, watched, Wanted::anything);
    if (!more) return {};
    wakers.insert(wakers.end(), more->begin(), more->end());
  }
  return wakers;
}

std::optional<Keys> Holders::of_process(const std::string& info) const {
  const std::size_t at = info.find("Pid:");
  const pid_t pid = at == std::string::npos ? 0 : std::atoi(info.c_str() + at + 4);
  for (const JobProcess& process : job_) {
    if (process.pid == pid) return Keys{process.key};
  }
  return {};
}

std::optional<Keys> Holders::wakers(pid_t pid, int number, Wanted wanted) {
  const std::string file = file_of(pid, std::to_string(number));
  if (file.empty() || file.starts_with(kRegular)) return {};
  if (file.starts_with("socket:")) return of_socket(pid, number, file);
  if (file == kPolls) return of_epoll(pid, number);
  if (file == kProcess) return of_process(info_of(pid, std::to_string(number)));
  if (file == kTimer && !is_disarmed(info_of(pid, std::to_string(number)))) return {};
  const bool is_pipe = file.starts_with(kNamedPipe) || file.starts_with("pipe:");
  Keys wakers;
  if (!add(file, is_pipe ? wanted : Wanted::anything, wakers)) return {};
  // A pipe without another end would have ended the wait: somebody holds it out of sight.
  if (is_pipe && wakers.empty()) return {};
  return wakers;
}

std::optional<Keys> Holders::openers(pid_t pid, int number) {
  const std::string file = file_of(pid, std::to_string(number));
  Keys wakers;
  if (!file.starts_with(kRegular) || !add(file, Wanted::anything, wakers)) return {};
  return wakers;
}

}  // namespace gridlock::run
