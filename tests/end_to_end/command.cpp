// Runs gridlock as a child process, and searches /proc for what it left behind.
#include "tests/end_to_end/command.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gridlock::end_to_end {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

pid_t number(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoi(name) : 0;
}

pid_t parent_of(pid_t pid) {
  const std::string stat = contents(fs::path("/proc") / std::to_string(pid) / "stat");
  const auto end = stat.rfind(')');
  return end == std::string::npos ? 0 : std::atoi(stat.c_str() + end + 4);
}

void pause_shortly() { poll(nullptr, 0, 2); }

}  // namespace

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "gridlock-test-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Command::Command(const std::vector<std::string>& arguments, const Folder& folder,
                 const std::map<std::string, std::string>& environment,
                 const std::vector<std::string>& launcher)
    : has_launcher_(!launcher.empty()) {
  static std::atomic<int> count{0};
  mark_ = "GRIDLOCK_TEST_MARK=" + std::to_string(getpid()) + "." + std::to_string(++count);
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::abort();
  pipe_ = ends[0];
  pid_ = fork();
  if (pid_ == 0) {
    putenv(mark_.data());
    // Some signals may be ignored, because a script started the tests in the background.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_DFL);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (chdir(folder.path().c_str()) != 0) _exit(126);
    std::vector<std::string> all = launcher;
    all.emplace_back(GRIDLOCK_PROGRAM);
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(all.size() + 1);
    for (std::string& argument : all) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(ends[1]);
}

Command::~Command() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    finish();
  }
  close(pipe_);
}

bool Command::read_more() {
  std::array<char, 4096> buffer{};
  const ssize_t size = read(pipe_, buffer.data(), buffer.size());
  if (size > 0) output_.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0;
}

bool Command::wait_for(const std::string& text) {
  while (output_.find(text) == std::string::npos) {
    if (!read_more()) return false;
  }
  return true;
}

pid_t Command::agent(int index) const {
  const auto is_gridlock = [](pid_t pid) {
    return contents(fs::path("/proc") / std::to_string(pid) / "cmdline")
        .starts_with(GRIDLOCK_PROGRAM);
  };
  const std::string of_index = std::string("PMI_RANK=") + std::to_string(index) + '\0';
  const auto is_it = [&](pid_t pid) {
    if (!has_launcher_) return parent_of(pid) == pid_;
    const std::string environment = contents(fs::path("/proc") / std::to_string(pid) / "environ");
    return environment.find(of_index) != std::string::npos && is_gridlock(pid) &&
           is_gridlock(parent_of(pid));
  };
  while (true) {
    const std::vector<pid_t> all = processes();
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    if (found != all.end()) return *found;
    pause_shortly();
  }
}

std::vector<pid_t> Command::processes() const {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t pid = number(entry.path());
    if (pid == 0) continue;
    // A zombie has no environment any more.
    if (contents(entry.path() / "environ").find(mark_) != std::string::npos) found.push_back(pid);
  }
  return found;
}

Done Command::finish() {
  while (read_more()) {
  }
  int status = 0;
  waitpid(std::exchange(pid_, 0), &status, 0);
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = output_};
}

bool Command::all_gone() const {
  constexpr int kTries = 5000;
  for (int i = 0; i < kTries; ++i) {
    if (processes().empty()) return true;
    pause_shortly();
  }
  return false;
}

Done gridlock(const std::vector<std::string>& arguments, const Folder& folder,
              const std::map<std::string, std::string>& environment) {
  Command command(arguments, folder, environment);
  Done done = command.finish();
  EXPECT_TRUE(command.all_gone()) << "processes are left of: " << done.output;
  return done;
}

nlohmann::json read_json(const fs::path& path) {
  const std::string text = contents(path);
  EXPECT_FALSE(text.empty()) << path;
  return nlohmann::json::parse(text, nullptr, false);
}

std::string program(const std::string& name) { return std::string(GRIDLOCK_PROGRAMS "/") + name; }

std::string why_no_mpi() {
  if (!fs::exists(GRIDLOCK_BUILD "/scenarios/sim/mpi_barrier")) return "built without MPI";
  if (std::system("mpiexec --version 2>/dev/null | grep -q HYDRA") != 0) {
    return "there is no mpiexec of MPICH's in PATH";
  }
  return "";
}

void make_installation(const fs::path& root, const std::map<std::string, std::string>& scripts,
                       const std::string& backend) {
  fs::create_directories(root / "scenarios" / backend);
  for (const char* library :
       {"libgridlock_recorder.so", "libgridlock_cuda.so", "libnccl.so.2", "gridlock_gpus"}) {
    fs::create_symlink(fs::path(GRIDLOCK_BUILD) / library, root / library);
  }
  for (const auto& [name, script] : scripts) {
    const fs::path file = root / "scenarios" / backend / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
}

}  // namespace gridlock::end_to_end
