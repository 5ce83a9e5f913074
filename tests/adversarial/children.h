// The processes that a test starts: in their own folder, under load, and with none left behind.
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

// A temporary folder. The destructor also ends all processes that have it in their environment.
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

// Starts `command` in the folder of the file `output`, which gets its output.
pid_t start(const std::vector<std::string>& command, const Environment& environment,
            const std::filesystem::path& output);

// Whether all have ended by then. Removes those that have ended, and counts those that failed.
//   Blocks   for the processes, at most until then
bool wait_for(std::vector<pid_t>& pids, Clock::time_point until, int* failed = nullptr);

// Asks them to end, and kills those that do not.
//   Blocks   for at most 10 s
void end(std::vector<pid_t>& pids);

int free_port();

}  // namespace gridlock::adversarial
