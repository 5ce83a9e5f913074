// Which processes map a piece of shared memory, and so may wake who sleeps at a futex in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/run/look/kernel/descriptors/holders.h"

namespace gridlock::run {

// Memory that several processes can map, where one of them maps it.
struct SharedMemory {
  enum class Kind : std::uint8_t { anonymous, dev_shm, memfd, system_v };
  Kind kind = Kind::anonymous;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t device = 0;
  std::string file;         // equal for all mappings of it, and as Holders names a regular file
  bool is_deleted = false;  // the name by which it was opened is gone; it may have another

  // Whether descriptors may lead to it.
  bool has_openers() const { return kind == Kind::dev_shm || kind == Kind::memfd; }

  // From a line of /proc/<pid>/maps; {}: it is no such memory, or not shared.
  static std::optional<SharedMemory> in(std::string_view line);
};

class Mappers {
 public:
  // `job`: all its processes on this host; it must outlive this. Nothing is read before it is
  // needed.
  Mappers(std::span<const JobProcess> job, Scope scope) : job_(job), scope_(scope) {}

  // What `pid` maps at `address`; nullptr if that is no shared memory of a known kind.
  const SharedMemory* find(pid_t pid, std::uint64_t address);

  // The processes that map `memory`, and whether any other may map it by its name. Empty optional:
  // one of them is not of the job, or lets the kernel act for it (io_uring), or it is not known.
  //   Blocks   no; once, the kernel writes a line for each mapping of each process of the host
  std::optional<Wakers> of(const SharedMemory& memory);

 private:
  struct Process {
    std::vector<SharedMemory> memories;
    bool has_ring = false;
    bool is_hidden = false;  // nobody may look at it
  };
  static Process read(pid_t pid);
  void read_all();
  void read_names();
  bool has_name(const SharedMemory& memory);

  std::span<const JobProcess> job_;
  Scope scope_;
  bool were_read_ = false;
  std::unordered_map<pid_t, Process> of_job_;
  std::unordered_set<std::string> of_strangers_;  // files
  std::unordered_set<std::string> named_;         // files in /dev/shm and its subfolders
  std::uint64_t device_of_names_ = 0;  // of /dev/shm; 0: not all of its names can be read
};

}  // namespace gridlock::run
