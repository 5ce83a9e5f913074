// The processes that a test starts: in a folder of its own, beside load, and none of them left
// behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gridlock::adversarial {

using Clock = std::chrono::steady_clock;
using Environment = std::map<std::string, std::string>;

std::string contents(const std::filesystem::path& path);

// A temporary folder. What still runs and has it in its environment is ended with it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  const std::filesystem::path& path() const { return path_; }

  std::vector<pid_t> processes() const;
  void end_all() const;

 private:
  std::filesystem::path path_;
};

// Processes that spin, twice as many as there are processors.
class Load {
 public:
  explicit Load(bool wanted);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load();

 private:
  std::vector<pid_t> pids_;
};

// Starts `command` in the folder of `output`, which takes what it prints.
pid_t start(const std::vector<std::string>& command, const Environment& environment,
            const std::filesystem::path& output);

// Whether all have ended by then; those that have are taken out, and those that failed counted.
//   Blocks   until then, for the processes
bool wait_for(std::vector<pid_t>& pids, Clock::time_point until, int* failed = nullptr);

// Asks them to end, and ends those that do not.
//   Blocks   for at most 10 s
void end(std::vector<pid_t>& pids);

int free_port();

}  // namespace gridlock::adversarial
