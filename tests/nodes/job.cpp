// Starts a program on a host, and searches /proc for what it leaves behind.
#include "tests/nodes/job.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gridlock::nodes {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

[[noreturn]] void become(const Field& field, int host, Command command,
                         const Environment& environment, const fs::path& output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  const int nothing = open("/dev/null", O_RDONLY);
  if (!field.enter(host) || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0 ||
      dup2(nothing, STDIN_FILENO) < 0) {
    _exit(126);
  }
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  pointers.reserve(command.size() + 1);
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

// State and parent of a process, from /proc/<pid>/stat; 0 when it is gone.
struct Stat {
  char state = 0;
  pid_t parent = 0;
};

Stat stat_of(pid_t pid) {
  const std::string text = contents(fs::path("/proc") / std::to_string(pid) / "stat");
  const auto end = text.rfind(')');
  if (end == std::string::npos || end + 4 > text.size()) return {};
  return {.state = text[end + 2], .parent = std::atoi(text.c_str() + end + 4)};
}

std::string command_of(pid_t pid) {
  std::string words = contents(fs::path("/proc") / std::to_string(pid) / "cmdline");
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

fs::path status_file(int number) { return Field::folder() / ("status." + std::to_string(number)); }

}  // namespace

bool wait_until(const std::function<bool()>& is_so, Limit limit) {
  const Clock::time_point end = Clock::now() + limit;
  while (!is_so()) {
    if (Clock::now() > end) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

Job::Job(const Field& field, int host, const Command& command, const Environment& environment) {
  static std::atomic<int> count{0};
  output_ = Field::folder() / ("output." + std::to_string(++count));
  pid_ = fork();
  if (pid_ == 0) become(field, host, command, environment, output_);
}

Job::~Job() {
  if (code_) return;
  kill(pid_, SIGKILL);
  finish();
}

std::string Job::output() const { return contents(output_); }

std::optional<int> Job::finish(Limit limit) {
  wait_until(
      [this] {
        int status = 0;
        if (code_ || waitpid(pid_, &status, WNOHANG) == 0) return code_.has_value();
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return true;
      },
      limit);
  return code_;
}

std::vector<Stranger> strangers(const Field& field) {
  std::vector<Stranger> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    const Stat stat = stat_of(pid);
    const bool is_ours = pid == 1 || pid == getpid() || field.holds(pid);
    if (is_ours || stat.state == 0 || stat.state == 'Z' || stat.state == 'X') continue;
    found.push_back({pid, stat.parent, field.host_of(pid), command_of(pid)});
  }
  return found;
}

std::vector<Stranger> strangers(const Field& field, const std::string& text) {
  std::vector<Stranger> found = strangers(field);
  std::erase_if(found, [&](const Stranger& process) {
    return process.command.find(text) == std::string::npos;
  });
  return found;
}

std::string variable_of(pid_t pid, const std::string& name) {
  std::istringstream all(contents(fs::path("/proc") / std::to_string(pid) / "environ"));
  for (std::string entry; std::getline(all, entry, '\0');) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return {};
}

std::string to_text(const std::vector<Stranger>& processes) {
  std::string text;
  for (const Stranger& process : processes) {
    text += "pid " + std::to_string(process.pid) + " on host " + std::to_string(process.host) +
            ": " + process.command + "\n";
  }
  return text;
}

Command over_hosts(const Field& field, const Command& command) {
  const std::string enter = GRIDLOCK_NODES "/enter_host.sh";
  Command all{"mpiexec.hydra", "-launcher", "ssh",    "-launcher-exec", enter,
              "-ppn",          "1",         "-hosts", field.names()};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

Command noted(const Command& command) {
  Command all{GRIDLOCK_NODES "/noted.sh", Field::folder().string()};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

std::optional<int> noted_status(int number) {
  std::ifstream file(status_file(number));
  int code = 0;
  return file >> code ? std::optional(code) : std::nullopt;
}

void forget_noted() {
  for (int number = 0; number < kMostHosts; ++number) fs::remove(status_file(number));
}

Environment only_by_wire() { return {{"UCX_TLS", "tcp,self"}}; }

std::string why_no_mpiexec() {
#ifndef GRIDLOCK_WITH_MPI
  return "this gridlock was built without MPI";
#else
  if (std::system("mpiexec.hydra --version >/dev/null 2>&1") == 0) return "";
  return "there is no mpiexec.hydra: install the package mpich";
#endif
}

}  // namespace gridlock::nodes
