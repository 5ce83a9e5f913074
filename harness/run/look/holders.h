// Who holds what a descriptor leads to: the other ends of pipes and local sockets.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/record/sleep.h"

namespace gridlock::run {

// A process of the job that this agent sees.
struct JobProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  record::ProcessKey key = 0;
};

// What is to happen at a descriptor.
enum class Wanted : std::uint8_t { data, room, anything };

class Holders {
 public:
  // `job`: all of its processes here. Nothing is read before it is needed.
  explicit Holders(std::span<const JobProcess> job) : job_(job) {}

  // The processes that can end a wait at descriptor `number` of `pid`; nothing where somebody may
  // who is not of the job (a terminal, a network, a program that was there before), where it may
  // end by itself (a timer), or where that is not known.
  std::optional<std::vector<record::ProcessKey>> wakers(pid_t pid, int number, Wanted wanted);

 private:
  struct Holder {
    record::ProcessKey process = 0;
    bool reads = false;
    bool writes = false;
  };
  static constexpr record::ProcessKey kStranger = 0;  // is not of the job

  void find_holders();
  void add_holders(pid_t pid, record::ProcessKey process);
  // Adds to `wakers` who holds `file`; false where a stranger does.
  bool add(const std::string& file, Wanted wanted, std::vector<record::ProcessKey>& wakers);
  std::optional<std::vector<record::ProcessKey>> of_socket(pid_t pid, int number,
                                                           const std::string& file);
  std::optional<std::vector<record::ProcessKey>> of_epoll(pid_t pid, int number);

  std::span<const JobProcess> job_;
  bool were_found_ = false;
  std::unordered_map<std::string, std::vector<Holder>> holders_;  // by file
};

}  // namespace gridlock::run
