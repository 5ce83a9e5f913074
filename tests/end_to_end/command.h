// Runs the built `gridlock` as a person would, in a folder of its own, and looks for what it
// leaves.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gridlock::end_to_end {

struct Done {
  int code = -1;       // exit code, or 128 + signal
  std::string output;  // standard output and error
};

// A temporary folder, removed with all that is in it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// `gridlock ARGUMENTS…` that goes on; every process below it carries `mark` in its environment.
class Command {
 public:
  // `launcher`: what comes in front of it, mpiexec and its options for example.
  Command(const std::vector<std::string>& arguments, const Folder& folder,
          const std::map<std::string, std::string>& environment = {},
          const std::vector<std::string>& launcher = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  pid_t pid() const { return pid_; }
  // Waits until its output holds `text`; false when it ended before.
  bool wait_for(const std::string& text);
  // The agent: the guard's only child. With a launcher, that of the guard which is its
  // `index`th process.
  pid_t agent(int index = 0) const;
  // All processes that it or its children have started and that are still there, itself included.
  std::vector<pid_t> processes() const;
  // Waits for its end.
  Done finish();
  // Waits until no process of it is left.
  bool all_gone() const;

 private:
  bool read_more();

  bool has_launcher_ = false;
  std::string mark_;
  std::string output_;
  pid_t pid_ = 0;
  int pipe_ = -1;
};

Done gridlock(const std::vector<std::string>& arguments, const Folder& folder,
              const std::map<std::string, std::string>& environment = {});

// The parsed file.
nlohmann::json read_json(const std::filesystem::path& path);

// A program from programs/.
std::string program(const std::string& name);

// Empty, or why nothing can be started through mpiexec here.
std::string why_no_mpi();

// A folder shaped like a build, with the real parts and an own folder of scenarios: for
// GRIDLOCK_HOME. `scripts`: name -> shell script of a scenario program.
void make_installation(const std::filesystem::path& root,
                       const std::map<std::string, std::string>& scripts,
                       const std::string& backend = "sim");

}  // namespace gridlock::end_to_end
