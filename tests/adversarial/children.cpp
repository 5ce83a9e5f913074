// Uses fork, exec, files and /proc.
#include "tests/adversarial/children.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace gridlock::adversarial {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "gridlock-adversarial-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  end_all();
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<pid_t> Folder::processes() const {
  const std::string mark = "ADVERSARIAL_FOLDER=" + path_.string();
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    if (contents(entry.path() / "environ").find(mark) != std::string::npos) found.push_back(pid);
  }
  return found;
}

void Folder::end_all() const {
  for (const pid_t pid : processes()) kill(pid, SIGKILL);
}

Load::Load(bool wanted) {
  const unsigned count = wanted ? 2 * std::thread::hardware_concurrency() : 0;
  for (unsigned i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (volatile unsigned long spins = 0;;) spins = spins + 1;
    }
    pids_.push_back(pid);
  }
}

Load::~Load() {
  for (const pid_t pid : pids_) kill(pid, SIGKILL);
  for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
}

pid_t start(const std::vector<std::string>& command, const Environment& environment,
            const fs::path& output) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // one that spins would stay behind
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_DFL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  if (chdir(output.parent_path().c_str()) != 0) _exit(126);
  std::vector<std::string> all = command;
  std::vector<char*> pointers;
  pointers.reserve(all.size() + 1);
  for (std::string& argument : all) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

bool wait_for(std::vector<pid_t>& pids, Clock::time_point until, int* failed) {
  const auto has_ended = [&](pid_t pid) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != pid) return false;
    if (status != 0 && failed != nullptr) ++*failed;
    return true;
  };
  while (true) {
    std::erase_if(pids, has_ended);
    if (pids.empty()) return true;
    if (Clock::now() > until) return false;
    poll(nullptr, 0, 1);
  }
}

void end(std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) kill(pid, SIGTERM);
  if (wait_for(pids, Clock::now() + std::chrono::seconds(5))) return;
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  wait_for(pids, Clock::now() + std::chrono::seconds(5));
}

int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  close(listener);
  return ntohs(address.sin_port);
}

}  // namespace gridlock::adversarial
