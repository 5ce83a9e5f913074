// Several hosts on one machine: namespaces, each with a name, an address, one link to a switch, and
// a /dev/shm of its own. A fault of the network then meets only the ranks of a job, and what NCCL
// leaves in shared memory when it is killed vanishes with them.
#pragma once

#include <string>
#include <vector>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {

constexpr int kMostHosts = 16;

class SimulatedHosts {
 public:
  // "" if this machine can have such hosts, otherwise why not.
  //   Blocks   for some milliseconds, the first time
  static const std::string& why_not();

  //   REQUIRES  why_not() is ""
  //   Errors    MachineError with the command that failed
  //   Blocks    while `ip` sets them up, some ten milliseconds for each
  explicit SimulatedHosts(int count);

  int count() const { return static_cast<int>(hosts_.size()); }
  static std::string name(int host);     // "node0"
  static std::string address(int host);  // "10.77.0.1"
  static std::string_view link();        // the interface of each host: "eth0"
  // The namespaces that a process on this host enters. They vanish when this object and all
  // processes in them are gone.
  std::vector<int> spaces(int host) const;

 private:
  struct Spaces {
    FileDescriptor network;
    FileDescriptor names;   // the host's name
    FileDescriptor mounts;  // its /dev/shm
  };
  static Spaces make(const std::string& name);

  Spaces switch_;
  std::vector<Spaces> hosts_;
};

}  // namespace gridlock::run
