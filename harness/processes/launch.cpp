// Starts a process by fork and exec. Between the two, it makes only calls that are safe in a copy
// of a threaded process.
#include "harness/processes/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "harness/base/error.h"

namespace gridlock::processes {
namespace {

// Our environment, with entries of the same name replaced by those in `more`.
std::vector<std::string> merged(const std::vector<std::string>& more) {
  std::unordered_map<std::string_view, std::string_view> replaced;
  for (const std::string& entry : more) {
    replaced.emplace(std::string_view(entry).substr(0, entry.find('=')), entry);
  }
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!replaced.contains(text.substr(0, text.find('=')))) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> made;
  made.reserve(texts.size() + 1);
  for (std::string& text : texts) made.push_back(text.data());
  made.push_back(nullptr);
  return made;
}

struct Ends {
  int input;
  int output;
  int error;
  int report;
  int failure;
};

// In the child: everything up to exec. Returns only on failure.
void become(const Launch& launch, const Ends& ends, pid_t parent, const char* folder,
            char** arguments, char** environment) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  setpgid(0, launch.group);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (const int space : launch.spaces) {
    if (setns(space, 0) != 0) return;
  }
  // Another mount namespace begins at its root.
  if (!launch.spaces.empty() && chdir(folder) != 0) return;
  dup2(ends.input, STDIN_FILENO);
  dup2(ends.output, STDOUT_FILENO);
  dup2(ends.error, STDERR_FILENO);
  if (ends.report >= 0) {
    // dup2 onto itself would keep the close-on-exec flag.
    if (ends.report == kReportFd) {
      fcntl(kReportFd, F_SETFD, 0);
    } else {
      dup2(ends.report, kReportFd);
    }
  }
  execvpe(arguments[0], arguments, environment);
}

// Moves `descriptor` above those that the child gets, so that placing one overwrites no other.
FileDescriptor moved_up(FileDescriptor descriptor) {
  if (descriptor.get() > kReportFd) return descriptor;
  return FileDescriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kReportFd + 1));
}

}  // namespace

Process start(const Launch& launch) {
  std::vector<std::string> command = launch.command;
  std::vector<std::string> environment = merged(launch.environment);
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> variables = pointers(environment);
  Pipe output = make_pipe();
  Pipe failure = make_pipe();
  // The child reports a failed exec by writing here. A successful exec closes it.
  fcntl(failure.read.get(), F_SETFL, 0);
  output.write = moved_up(std::move(output.write));
  failure.write = moved_up(std::move(failure.write));
  const FileDescriptor nothing = moved_up(FileDescriptor(open("/dev/null", O_RDWR | O_CLOEXEC)));
  const FileDescriptor report =
      launch.report < 0 ? FileDescriptor()
                        : FileDescriptor(fcntl(launch.report, F_DUPFD_CLOEXEC, kReportFd + 1));
  const Ends ends{.input = nothing.get(),
                  .output = output.write.get(),
                  .error = launch.join_streams ? output.write.get() : nothing.get(),
                  .report = report.get(),
                  .failure = failure.write.get()};
  const pid_t parent = getpid();
  const std::string folder = launch.spaces.empty() ? "" : std::filesystem::current_path();
  const pid_t pid = fork();
  if (pid < 0) throw machine_error("cannot start a process", errno);
  if (pid == 0) {
    become(launch, ends, parent, folder.c_str(), const_cast<char**>(arguments.data()),
           const_cast<char**>(variables.data()));
    const int error = errno;
    static_cast<void>(!write(ends.failure, &error, sizeof error));
    _exit(127);
  }
  // Both sides set the group, so that neither can be too late.
  setpgid(pid, launch.group == 0 ? pid : launch.group);
  failure.write.close();
  int error = 0;
  if (read(failure.read.get(), &error, sizeof error) > 0) {
    waitpid(pid, nullptr, 0);
    throw machine_error(fmt::format("cannot start {}", launch.command.front()), error);
  }
  return {.pid = pid,
          .handle = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
          .output = std::move(output.read)};
}

}  // namespace gridlock::processes
