// Runs the built `gridlock` as a user would, in a new folder, and looks for what it leaves behind.
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

// A temporary folder. The destructor removes it with its contents.
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

// `gridlock ARGUMENTS…` in the background. Every process below it carries `mark` in its
// environment.
class Command {
 public:
  // `launcher`: words in front of the command, for example mpiexec and its options.
  Command(const std::vector<std::string>& arguments, const Folder& folder,
          const std::map<std::string, std::string>& environment = {},
          const std::vector<std::string>& launcher = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  pid_t pid() const { return pid_; }
  // Waits until its output holds `text`; false if it ended without it.
  bool wait_for(const std::string& text);
  // The agent: the guard's only child. With a launcher, the child of its `index`th process, which
  // is a guard.
  pid_t agent(int index = 0) const;
  // Its own process, and those that it or its children have started, as far as they still exist.
  std::vector<pid_t> processes() const;
  // Waits for its end.
  Done finish();
  // Waits until none of its processes is left.
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

// Makes a folder for GRIDLOCK_HOME, shaped like a build: the real parts, and its own folder of
// scenarios. `scripts`: name -> shell script of a scenario program.
void make_installation(const std::filesystem::path& root,
                       const std::map<std::string, std::string>& scripts,
                       const std::string& backend = "sim");

}  // namespace gridlock::end_to_end
