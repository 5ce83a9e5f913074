// Lists who holds what, once, and finds the holders of what a thread sleeps at.
#include "harness/run/look/kernel/descriptors/holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

#include "harness/base/directory.h"
#include "harness/run/look/kernel/descriptors/epoll_set.h"
#include "harness/run/look/kernel/descriptors/links.h"
#include "harness/run/look/kernel/descriptors/longest_wait.h"
#include "harness/run/look/kernel/descriptors/socket_end.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

bool carries_descriptors(const std::string& info) {
  constexpr std::string_view kCount = "scm_fds:";
  const std::size_t at = info.find(kCount);
  return at != std::string::npos && std::atoi(info.c_str() + at + kCount.size()) > 0;
}

}  // namespace

bool Holders::one_has_aio() {
  const auto has_aio = [](const JobProcess& process) {
    std::ifstream maps(fmt::format("/proc/{}/maps", thread_that_shows(process.pid)));
    for (std::string line; std::getline(maps, line);) {
      if (line.find("[aio]") != std::string::npos) return true;
    }
    return false;
  };
  if (!one_has_aio_) one_has_aio_ = std::ranges::any_of(job_, has_aio);
  return *one_has_aio_;
}

bool Holders::may_be_used_by_kernel(const std::string& file) {
  if (scope_ == Scope::job) return false;
  return one_has_ring_ || (file.starts_with(kCounter) && one_has_aio());
}

void Holders::note(const std::string& file, const Holder& holder) {
  if (holder.process == kStranger || scope_ == Scope::job) return;
  one_has_ring_ |= file == kRing;
  if (file.starts_with("socket:") &&
      carries_descriptors(info_of(holder.pid, std::to_string(holder.number)))) {
    in_transit_.insert(file);
  }
}

bool Holders::add_folder(const std::string& folder, pid_t pid, record::ProcessKey process) {
  const Directory directory = open_directory(folder);
  if (!directory) {  // gone, or another user's: see docs/actors.md
    one_is_hidden_ |= process != kStranger && !means_gone(errno);
    return false;
  }
  bool any = false;
  while (const dirent* found = readdir(directory.get())) {
    if (found->d_name[0] == '.') continue;
    any = true;
    const Descriptor descriptor{
        .pid = pid, .folder = dirfd(directory.get()), .number = found->d_name};
    Link link = link_of(descriptor);
    std::string file = file_of(descriptor, std::move(link.target));
    if (file.empty()) continue;
    Holder holder{.process = process,
                  .pid = pid,
                  .number = std::atoi(found->d_name),
                  .reads = link.reads,
                  .writes = link.writes};
    note(file, holder);
    holders_[std::move(file)].push_back(holder);
  }
  return any;
}

void Holders::add_holders(pid_t pid, record::ProcessKey process) {
  if (add_folder(fmt::format("/proc/{}/fd", pid), pid, process) || process == kStranger) return;
  // Its first thread may have ended. Then only the others show what the process holds.
  const auto tid = static_cast<pid_t>(thread_that_shows(pid));
  if (tid != pid) add_folder(fmt::format("/proc/{}/fd", tid), tid, process);
}

bool Holders::has_ring(pid_t pid) {
  const auto tid = static_cast<pid_t>(thread_that_shows(pid));
  const Directory folder = open_directory(fmt::format("/proc/{}/fd", tid));
  while (const dirent* found = folder ? readdir(folder.get()) : nullptr) {
    const Descriptor descriptor{.pid = tid, .folder = dirfd(folder.get()), .number = found->d_name};
    if (link_of(descriptor).target == kRing) return true;
  }
  return false;
}

void Holders::find_holders() {
  if (were_found_) return;
  were_found_ = true;
  if (scope_ == Scope::job) {
    for (const JobProcess& process : job_) add_holders(process.pid, process.key);
    return;
  }
  const Directory processes = open_directory("/proc");
  one_is_hidden_ |= !processes;
  while (const dirent* found = processes ? readdir(processes.get()) : nullptr) {
    if (found->d_name[0] < '0' || found->d_name[0] > '9') continue;
    const pid_t pid = std::atoi(found->d_name);  // digits only
    const auto of_job =
        std::find_if(job_.begin(), job_.end(), [&](const auto& one) { return one.pid == pid; });
    add_holders(pid, of_job == job_.end() ? kStranger : of_job->key);
  }
}

bool Holders::add_holders_of(const std::string& file, Wanted wanted, Wakers& wakers,
                             record::ProcessKey but) {
  const auto found = holders_.find(file);
  if (found == holders_.end()) return true;
  for (const Holder& holder : found->second) {
    if ((wanted == Wanted::data && !holder.writes) || holder.process == but) continue;
    if (holder.process == kStranger) return false;
    if (std::find(wakers.keys.begin(), wakers.keys.end(), holder.process) == wakers.keys.end()) {
      wakers.keys.push_back(holder.process);
    }
  }
  return true;
}

bool Holders::add(const std::string& file, Wanted wanted, Wakers& wakers) {
  find_holders();
  return !one_is_hidden_ && !may_be_used_by_kernel(file) && add_holders_of(file, wanted, wakers) &&
         std::ranges::all_of(in_transit_, [&](const std::string& socket) {
           return add_holders_of(socket, Wanted::anything, wakers);
         });
}

std::optional<Wakers> Holders::of_socket(pid_t pid, int number, const std::string& file,
                                         Wanted wanted) {
  const std::optional<SocketEnd> socket = socket_end(pid, number, file);
  Wakers wakers;
  if (!socket) return {};
  const bool tells_poll = is_polled(wanted) && socket->tells_of_confirmations;
  if (socket->makes_room && (may_be_room(wanted) || tells_poll)) return {};
  if (socket->has_near_limit && !is_polled(wanted)) return {};
  if (!add(file, Wanted::anything, wakers)) return {};
  wakers.has_far_limit = socket->has_far_limit && !is_polled(wanted);
  if (!socket->far_end.empty()) {
    if (!spread_) return {};
    // A first look takes all that is elsewhere to wait too.
    if (scope_ == Scope::host) wakers.far_ends.push_back(socket->far_end);
    return wakers;
  }
  if (socket->listens) {
    wakers.listeners.push_back(socket->name);
    return wakers;
  }
  // A peer that no process holds is closed, or is being passed in a message: its holder is unknown.
  const auto peer = holders_.find(socket->peer);
  if (!add(socket->peer, Wanted::anything, wakers) || peer == holders_.end()) return {};
  for (const Holder& holder : peer->second) {
    wakers.connected.emplace_back(socket->name, holder.process);
  }
  return wakers;
}

std::vector<record::FarConnection> Holders::far_connections() {
  find_holders();
  std::vector<record::FarConnection> all;
  std::unordered_set<std::uint64_t> seen;
  for (const JobProcess& process : job_) {
    struct stat network {};
    const std::string path = fmt::format("/proc/{}/ns/net", process.pid);
    if (stat(path.c_str(), &network) != 0 || !seen.insert(network.st_ino).second) continue;
    for (const QuietConnection& one : quiet_connections(process.pid)) {
      const std::string file = fmt::format("socket:[{}]", one.inode);
      Wakers holders;
      if (!holders_.contains(file) || !add(file, Wanted::anything, holders)) continue;
      for (const record::ProcessKey key : holders.keys) {
        all.push_back({.name = one.name, .holder = key});
      }
    }
  }
  return all;
}

std::optional<Wakers> Holders::of_epoll(pid_t pid, int number) {
  const std::string info = info_of(pid, std::to_string(number));
  if (info.empty()) return {};
  // Who holds the set, or can receive it in a message, may change it. All sets have the same link.
  find_holders();
  if (one_is_hidden_ || may_be_used_by_kernel(std::string(kPolls))) return {};
  Wakers wakers;
  for (const Holder& holder : holders_[std::string(kPolls)]) {
    const bool has_it =
        holder.process != kStranger && may_be_same_file(pid, number, holder.pid, holder.number);
    if (has_it) wakers.keys.push_back(holder.process);
  }
  for (const std::string& socket : in_transit_) {
    if (!add_holders_of(socket, Wanted::anything, wakers)) return {};
  }
  for (const Watched& watched : watched_by(info)) {
    if (!is_still_there(pid, number, watched)) return {};
    const auto more = this->wakers(pid, watched.number, wanted_by(watched.events));
    if (!more) return {};
    wakers.add(*more);
  }
  return wakers;
}

std::optional<Wakers> Holders::of_process(const std::string& info) const {
  const std::size_t at = info.find("Pid:");
  const pid_t pid = at == std::string::npos ? 0 : std::atoi(info.c_str() + at + 4);
  const auto process = std::ranges::find(job_, pid, &JobProcess::pid);
  if (process == job_.end()) return {};
  Wakers wakers;
  wakers.keys.push_back(process->key);
  return wakers;
}

std::optional<Wakers> Holders::wakers(pid_t pid, int number, Wanted wanted) {
  const std::string file = file_of(pid, std::to_string(number));
  if (file.empty() || file == kRing || file.starts_with(kRegular)) return {};
  if (file.starts_with("socket:")) return of_socket(pid, number, file, wanted);
  if (file == kPolls) return of_epoll(pid, number);
  if (file == kProcess) return of_process(info_of(pid, std::to_string(number)));
  if (file == kTimer && !is_disarmed(info_of(pid, std::to_string(number)))) return {};
  const bool is_named = file.starts_with(kNamedPipe);
  const bool is_pipe = is_named || file.starts_with("pipe:");
  Wakers wakers;
  if (!add(file, is_pipe ? wanted : Wanted::anything, wakers)) return {};
  // A pipe without another end would have ended the wait: somebody holds it out of sight.
  if (is_pipe && wakers.keys.empty()) return {};
  if (is_pipe) {
    // Whoever has an end may open the other one, as `echo > /dev/fd/3` does.
    const auto own = std::ranges::find(job_, pid, &JobProcess::pid);
    const record::ProcessKey sleeper = own == job_.end() ? kNobody : own->key;
    if (!add_holders_of(file, Wanted::anything, wakers, sleeper)) return {};
  }
  wakers.has_name = is_named && has_a_name(pid, number);
  wakers.anybody = wakers.has_name;
  return wakers;
}

std::optional<Wakers> Holders::openers(pid_t pid, int number) {
  return openers(file_of(pid, std::to_string(number)));
}

std::optional<Wakers> Holders::users_of_queue(pid_t pid, int number) {
  std::optional<Wakers> users = openers(pid, number);
  if (!users) return {};
  users->has_name = users->anybody = has_a_name(pid, number);
  // If nobody else has it open, somebody opens it for each message.
  const bool opens_late = users->has_name && users->keys.size() < 2;
  return opens_late ? std::nullopt : users;
}

std::optional<Wakers> Holders::openers(const std::string& file) {
  Wakers wakers;
  if (!file.starts_with(kRegular) || !add(file, Wanted::anything, wakers)) return {};
  return wakers;
}

}  // namespace gridlock::run
