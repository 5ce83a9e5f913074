// A program on one host of the field, and what it and its children leave behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/nodes/field.h"

namespace gridlock::nodes {

using Command = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;
using Limit = std::chrono::milliseconds;

// A program whose ranks add up numbers for ever.
inline const std::string kEndless = GRIDLOCK_NODES_PROGRAMS "/endless";
// One whose ranks meet at a key-value store.
inline const std::string kStore = GRIDLOCK_NODES_PROGRAMS "/store";

// Nothing here takes that long, except on a heavily overloaded machine.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr Limit kPatience{150'000};
#else
constexpr Limit kPatience{30'000};
#endif

// Asks `is_so` every millisecond. Returns whether it came true within `limit`.
bool wait_until(const std::function<bool()>& is_so, Limit limit = kPatience);

class Job {
 public:
  // Starts `command` on `host`. Its output goes to a file in the field's folder.
  Job(const Field& field, int host, const Command& command, const Environment& environment = {});
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  // Kills the program, but not its children.
  ~Job();

  pid_t pid() const { return pid_; }
  // Standard output and error so far.
  std::string output() const;
  bool says(const std::string& text) const { return output().find(text) != std::string::npos; }
  // Its exit code, or 128 + signal; nothing if it still runs after `limit`.
  std::optional<int> finish(Limit limit = kPatience);

 private:
  pid_t pid_ = 0;
  std::optional<int> code_;
  std::filesystem::path output_;
};

// A live process of the world that belongs neither to the test nor to a host itself.
struct Stranger {
  pid_t pid = 0;
  pid_t parent = 0;
  int host = -1;  // -1: outside all hosts
  std::string command;
};
std::vector<Stranger> strangers(const Field& field);
// The strangers whose command holds `text`.
std::vector<Stranger> strangers(const Field& field, const std::string& text);
// A variable of a process's environment; "" if it is not set.
std::string variable_of(pid_t pid, const std::string& name);
// One a line, for messages.
std::string to_text(const std::vector<Stranger>& processes);

// `mpiexec` for one process on each host of the field; to be started on host 0.
Command over_hosts(const Field& field, const Command& command);
// `command`, wrapped to write down its exit status under its number in the job, because the status
// that mpiexec or srun reports is not reliable.
Command noted(const Command& command);
std::optional<int> noted_status(int number);
void forget_noted();
// Otherwise UCX would use shared memory between namespaces of one machine, and a cut wire would
// have no effect.
Environment only_by_wire();
// "" or why mpiexec cannot be used here.
std::string why_no_mpiexec();

}  // namespace gridlock::nodes
