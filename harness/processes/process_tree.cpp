// Finds descendants in the kernel's lists of children, or in /proc/*/stat if the kernel is built
// without such lists.
#include "harness/processes/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/directory.h"
#include "harness/base/file_descriptor.h"

namespace gridlock::processes {
namespace {

struct Entry {
  pid_t parent = 0;
  bool is_zombie = false;
  int threads = 0;
};

// Field number `index` of `fields`, which single spaces separate, as a number. 0 if there is none.
int number_at(std::string_view fields, int index) {
  for (int i = 0; i < index; ++i) {
    const auto space = fields.find(' ');
    fields = space == std::string_view::npos ? std::string_view() : fields.substr(space + 1);
  }
  int number = 0;
  std::from_chars(fields.data(), fields.data() + fields.size(), number);
  return number;
}

// What /proc says about `pid`. The name in parentheses may contain anything, so parsing starts
// after it.
std::optional<Entry> entry_of(const char* pid) {
  std::array<char, 64> path{};
  // The same file of the process adds up the times of all its threads.
  std::snprintf(path.data(), path.size(), "/proc/%.16s/task/%.16s/stat", pid, pid);
  const FileDescriptor file(open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  const ssize_t size = file.is_open() ? read(file.get(), text.data(), text.size() - 1) : -1;
  if (size <= 0) return {};
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  const auto end = line.rfind(')');
  if (end == std::string_view::npos || end + 2 >= line.size()) return {};
  const std::string_view fields = line.substr(end + 2);
  constexpr int kParent = 1;  // the state is the first
  constexpr int kThreads = 17;
  const int threads = number_at(fields, kThreads);
  // The first thread may have ended, and appear as a zombie, while others run.
  return Entry{.parent = number_at(fields, kParent),
               .is_zombie = fields[0] == 'Z' && threads <= 1,
               .threads = threads};
}

// "12 13 17 " of each thread.
void add_children(const std::string& path, pid_t parent, std::vector<Descendant>& to) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part{};
  while (file.is_open()) {
    const ssize_t size = read(file.get(), part.data(), part.size());
    if (size <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  const char* next = text.c_str();
  const char* const end = next + text.size();
  while (next < end) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(next, end, pid);
    if (parsed.ec == std::errc{}) to.push_back({.pid = pid, .parent = parent});
    next = parsed.ptr + 1;
  }
}

std::vector<Descendant> tree_by_lists(pid_t ancestor) {
  std::vector<Descendant> reached{{.pid = ancestor}};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const Descendant one = reached[next];
    if (next > 0) {
      const auto entry = entry_of(std::to_string(one.pid).c_str());
      reached[next].has_ended = !entry || entry->is_zombie;
      reached[next].threads = entry ? entry->threads : 0;
    }
    const std::string tasks = "/proc/" + std::to_string(one.pid) + "/task";
    const Directory threads = open_directory(tasks);
    while (const dirent* found = threads ? readdir(threads.get()) : nullptr) {
      if (found->d_name[0] == '.') continue;
      add_children(tasks + "/" + found->d_name + "/children", one.pid, reached);
    }
  }
  reached.erase(reached.begin());
  return reached;
}

std::vector<Descendant> tree_by_parents(pid_t ancestor) {
  std::unordered_map<pid_t, std::vector<pid_t>> children;
  std::unordered_set<pid_t> zombies;
  const Directory processes = open_directory("/proc");
  if (!processes) return {};
  while (const dirent* found = readdir(processes.get())) {
    if (found->d_name[0] < '0' || found->d_name[0] > '9') continue;
    const auto entry = entry_of(found->d_name);
    if (!entry) continue;
    const pid_t pid = std::atoi(found->d_name);  // digits only
    children[entry->parent].push_back(pid);
    if (entry->is_zombie) zombies.insert(pid);
  }
  std::vector<Descendant> reached{{.pid = ancestor}};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const pid_t parent = reached[next].pid;
    for (const pid_t child : children[parent]) reached.push_back({.pid = child, .parent = parent});
  }
  reached.erase(reached.begin());
  for (Descendant& one : reached) one.has_ended = zombies.contains(one.pid);
  return reached;
}

void reap_all() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

void become_subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<Descendant> whole_tree_below(pid_t ancestor) {
  static const bool has_lists = access("/proc/thread-self/children", R_OK) == 0;
  return has_lists ? tree_by_lists(ancestor) : tree_by_parents(ancestor);
}

std::vector<Descendant> tree_below(pid_t ancestor) {
  std::vector<Descendant> living = whole_tree_below(ancestor);
  std::erase_if(living, [](const Descendant& one) { return one.has_ended; });
  return living;
}

bool has_changed(const std::vector<Descendant>& before, const std::vector<Descendant>& after) {
  std::unordered_map<pid_t, bool> ended;
  std::int64_t living = 0;
  for (const processes::Descendant& one : before) {
    ended.emplace(one.pid, one.has_ended);
    living += one.has_ended ? 0 : 1;
  }
  for (const processes::Descendant& one : after) {
    const auto known = ended.find(one.pid);
    if (known == ended.end() || known->second != one.has_ended) return true;
    living -= one.has_ended ? 0 : 1;
  }
  return living != 0;
}

bool are_all_alive(const std::vector<Descendant>& listed) {
  return std::ranges::all_of(listed, [](const Descendant& one) {
    const auto entry = entry_of(std::to_string(one.pid).c_str());
    return !one.has_ended && entry && !entry->is_zombie && entry->threads == one.threads;
  });
}

std::vector<pid_t> descendants(pid_t ancestor) {
  std::vector<pid_t> pids;
  for (const Descendant& one : tree_below(ancestor)) pids.push_back(one.pid);
  return pids;
}

std::vector<pid_t> kill_descendants(Duration limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    // A descendant's number cannot be reused yet: the descendant stays a zombie until this process
    // reaps it, or its parent does, which we are about to kill too.
    std::vector<pid_t> left = descendants(getpid());
    for (const pid_t pid : left) kill(pid, SIGKILL);
    reap_all();
    if (left.empty() && !has_children()) return {};
    if (std::chrono::steady_clock::now() > deadline) return left;
    // Waits briefly for the next one to end. It may not be our child yet.
    poll(nullptr, 0, 1);
  }
}

bool wait_for_end(const FileDescriptor& handle, std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd ended{.fd = handle.get(), .events = POLLIN, .revents = 0};
  return poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) > 0;
}

std::optional<Ending> reap(pid_t pid) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) {
    return {};
  }
  return Ending{.signaled = info.si_code != CLD_EXITED, .code = info.si_status};
}

}  // namespace gridlock::processes
