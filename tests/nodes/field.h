// Several hosts on one machine: network namespaces with their own names and addresses, joined by a
// bridge or by wires with delay. Only inside a private world (world.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/nodes/wire.h"

namespace gridlock::nodes {

constexpr int kMostHosts = 16;

class Field {
 public:
  // `delay`: how long a packet travels from one host to another, one way.
  //   Throws   std::runtime_error with a sentence if the machine cannot have such a field
  explicit Field(int hosts, std::chrono::microseconds delay = std::chrono::microseconds(0));
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  // Kills whatever still runs on the hosts.
  ~Field();

  int hosts() const { return static_cast<int>(holders_.size()); }
  static std::string name(int host) { return "node" + std::to_string(host); }
  // "node0,node1,…"
  std::string names() const;
  // The field's own folder, which vanishes with the world.
  static const std::filesystem::path& folder();

  // Moves the calling process to `host`, for a child that is about to exec.
  //   Returns  false with errno
  bool enter(int host) const;
  // Whether `pid` is a process that only keeps a host.
  bool holds(pid_t pid) const;
  // The host of process `pid`; -1 if it is on none of these.
  int host_of(pid_t pid) const;

  // From now on nothing gets to or from `host`. Its devices stay up and no side is told, as when a
  // switch fails.
  void cut(int host);
  void mend(int host);
  // How packets are delayed: "", "netem" or "tun".
  const std::string& delayed_by() const { return delayed_by_; }

 private:
  void join_by_bridge(std::chrono::microseconds delay);
  void join_by_wire(std::chrono::microseconds delay);

  std::vector<pid_t> holders_;  // a process for each host that keeps its namespaces
  std::string delayed_by_;
  std::unique_ptr<Wire> wire_;
};

}  // namespace gridlock::nodes
