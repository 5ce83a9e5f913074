// Compares the files behind mappings in /proc/<pid>/maps. Anonymous shared memory has one too.
#include "harness/run/look/kernel/descriptors/mappers.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "harness/base/directory.h"
#include "harness/run/look/kernel/descriptors/links.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

std::optional<SharedMemory> SharedMemory::in(std::string_view line) {
  // "7f3c…-7f3d… rw-s 00000000 00:1a 42       /dev/shm/sem.queue (deleted)"
  using enum Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 5> kPaths{{{"/dev/zero", anonymous},
                                                                     {"[anon_shmem:", anonymous},
                                                                     {"/dev/shm/", dev_shm},
                                                                     {"/memfd:", memfd},
                                                                     {"/SYSV", system_v}}};
  SharedMemory memory;
  std::array<char, 5> rights{};
  unsigned major_number = 0;
  unsigned minor_number = 0;
  std::uint64_t inode = 0;
  int path_at = 0;
  if (std::sscanf(std::string(line).c_str(), "%lx-%lx %4s %*x %x:%x %lu %n", &memory.begin,
                  &memory.end, rights.data(), &major_number, &minor_number, &inode,
                  &path_at) != 6 ||
      rights[3] != 's' || path_at <= 0) {
    return {};
  }
  const std::string_view path = line.substr(static_cast<std::size_t>(path_at));
  const auto known =
      std::ranges::find_if(kPaths, [&](const auto& one) { return path.starts_with(one.first); });
  if (known == kPaths.end()) return {};
  memory.kind = known->second;
  memory.is_deleted = path.ends_with(" (deleted)");
  memory.device = makedev(major_number, minor_number);
  memory.file = regular_file(memory.device, inode);
  return memory;
}

Mappers::Process Mappers::read(pid_t pid) {
  Process process;
  std::ifstream maps(fmt::format("/proc/{}/maps", thread_that_shows(pid)));
  if (!maps.is_open()) process.is_hidden = !means_gone(errno);
  for (std::string line; std::getline(maps, line);) {
    process.has_ring |= line.find("[io_uring]") != std::string::npos;
    if (auto memory = SharedMemory::in(line)) process.memories.push_back(*std::move(memory));
  }
  return process;
}

void Mappers::read_names() {
  namespace fs = std::filesystem;
  struct stat status {};
  std::error_code error;
  if (stat("/dev/shm", &status) != 0) return;
  const dev_t device = status.st_dev;
  fs::recursive_directory_iterator all("/dev/shm", error);
  for (; !error && all != fs::recursive_directory_iterator(); all.increment(error)) {
    if (lstat(all->path().c_str(), &status) != 0) continue;  // it has just been removed
    named_.insert(regular_file(status.st_dev, status.st_ino));
  }
  if (!error) device_of_names_ = device;
}

void Mappers::read_all() {
  if (were_read_) return;
  were_read_ = true;
  for (const JobProcess& process : job_) of_job_[process.pid] = read(process.pid);
  read_names();
  const Directory processes = scope_ == Scope::host ? open_directory("/proc") : Directory(nullptr);
  while (const dirent* found = processes ? readdir(processes.get()) : nullptr) {
    const pid_t pid = std::atoi(found->d_name);  // 0 for what is no process
    if (pid <= 0 || of_job_.contains(pid)) continue;
    for (SharedMemory& memory : read(pid).memories) of_strangers_.insert(std::move(memory.file));
  }
}

const SharedMemory* Mappers::find(pid_t pid, std::uint64_t address) {
  read_all();
  const auto process = of_job_.find(pid);
  if (process == of_job_.end()) return nullptr;
  const auto found = std::ranges::find_if(
      process->second.memories,
      [&](const SharedMemory& memory) { return memory.begin <= address && address < memory.end; });
  return found == process->second.memories.end() ? nullptr : &*found;
}

std::optional<Wakers> Mappers::of(const SharedMemory& memory) {
  read_all();
  if (of_strangers_.contains(memory.file)) return {};
  Wakers wakers;
  for (const JobProcess& process : job_) {
    const Process& read = of_job_[process.pid];
    if (read.is_hidden) return {};
    if (std::ranges::count(read.memories, memory.file, &SharedMemory::file) == 0) continue;
    if (read.has_ring || (scope_ == Scope::host && Holders::has_ring(process.pid))) return {};
    wakers.keys.push_back(process.key);
  }
  wakers.has_name = has_name(memory);
  wakers.anybody = wakers.has_name;
  return wakers;
}

bool Mappers::has_name(const SharedMemory& memory) {
  if (memory.kind == SharedMemory::Kind::system_v) return true;  // its key
  if (memory.kind != SharedMemory::Kind::dev_shm) return false;
  // sem_open() makes a semaphore under another name first, and the kernel calls that one deleted.
  // The names of another mount namespace are not known.
  return !memory.is_deleted || named_.contains(memory.file) || memory.device != device_of_names_;
}

}  // namespace gridlock::run
