// Reads files whole. Most of them are small.
#include "harness/run/look/kernel/proc.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "harness/base/directory.h"
#include "harness/base/file_descriptor.h"

namespace gridlock::run {
namespace {

std::uint64_t number_in(std::string_view text, int base) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

// Lines of "name:\tvalue", read from the first to the last.
class Fields {
 public:
  explicit Fields(std::string_view lines) : rest_(lines) {}

  // The value of `name`, which must stand behind the one that was asked for before. "" if there is
  // no such line.
  std::string_view value(std::string_view name) {
    for (std::string_view rest = rest_; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
      rest_ = rest;
      const std::string_view value = line.substr(name.size() + 1);
      return value.substr(std::min(value.find_first_not_of(" \t"), value.size()));
    }
    return {};
  }

  std::uint64_t number(std::string_view name, int base) { return number_in(value(name), base); }

 private:
  std::string_view rest_;
};

}  // namespace

std::string proc_text(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return {};
  std::string text;
  std::array<char, 4096> part{};
  ssize_t size = 0;
  while ((size = read(file.get(), part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  if (size < 0) return {};
  if (!text.empty() && text.back() == '\n') text.pop_back();
  errno = 0;
  return text;
}

bool means_gone(int error) { return error == ENOENT || error == ESRCH; }

SystemCall system_call(std::int64_t pid, std::int64_t tid) {
  // "202 0x7f… 0x189 0x0 0x0 0x0 0xffffffff <stack pointer> <instruction>", "running", or "-1 …"
  // of a thread that sleeps, but in no call.
  const std::string line = proc_text(fmt::format("/proc/{}/task/{}/syscall", pid, tid));
  SystemCall call;
  call.runs = line.starts_with("running");
  if (line.empty() || line[0] < '0' || line[0] > '9') return call;
  char* next = nullptr;
  call.number = std::strtol(line.c_str(), &next, 10);
  for (std::uint64_t& argument : call.arguments) argument = std::strtoull(next, &next, 16);
  call.stack = std::strtoull(next, &next, 16);
  call.instruction = std::strtoull(next, &next, 16);
  call.sleeps = call.stack != 0;
  return call;
}

ThreadStatus thread_status(std::int64_t pid, std::int64_t tid) {
  const std::string text = proc_text(fmt::format("/proc/{}/task/{}/status", pid, tid));
  Fields fields(text);  // in the order of the file
  const std::string_view state = fields.value("State");
  if (state.empty()) return {};
  ThreadStatus status{.state = state.front()};
  status.pending = fields.number("SigPnd", 16);
  status.pending |= fields.number("ShdPnd", 16);
  status.blocked = fields.number("SigBlk", 16);
  status.pending &= ~status.blocked;
  status.caught = fields.number("SigCgt", 16);
  status.switches = fields.number("voluntary_ctxt_switches", 10);
  status.switches += fields.number("nonvoluntary_ctxt_switches", 10);
  return status;
}

ThreadStat thread_stat(std::int64_t pid, std::int64_t tid) {
  // "4711 (name) S …", and the name may hold anything.
  const std::string text = proc_text(fmt::format("/proc/{}/task/{}/stat", pid, tid));
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  ThreadStat stat{.name = text.substr(begin + 1, end - begin - 1)};
  // The numbers of the fields are those of proc(5).
  std::string_view rest = std::string_view(text).substr(end + 1);
  for (int field = 3; field <= 31 && !rest.empty(); ++field) {
    rest.remove_prefix(1);
    const std::string_view value = rest.substr(0, rest.find(' '));
    rest.remove_prefix(value.size());
    if (field == 3 && !value.empty()) stat.state = value.front();
    if (field == 9) stat.flags = number_in(value, 10);
    if (field == 20) stat.threads = number_in(value, 10);
    if (field == 31) stat.pending = number_in(value, 10);
  }
  return stat;
}

std::int64_t thread_that_shows(std::int64_t pid) {
  if (!has_ended_before_others(pid, pid)) return pid;
  const Directory threads = open_directory(fmt::format("/proc/{}/task", pid));
  while (const dirent* found = threads ? readdir(threads.get()) : nullptr) {
    const std::int64_t tid = std::strtoll(found->d_name, nullptr, 10);  // "." gives 0
    if (tid > 0 && thread_stat(pid, tid).state != 'Z') return tid;
  }
  return pid;
}

std::optional<std::uint64_t> auxiliary(std::string_view vector, std::uint64_t type) {
  std::array<std::uint64_t, 2> entry{};
  for (; vector.size() >= sizeof entry; vector.remove_prefix(sizeof entry)) {
    std::memcpy(entry.data(), vector.data(), sizeof entry);
    if (entry[0] == type) return entry[1];
  }
  return {};
}

std::string auxiliary_vector(std::int64_t pid) {
  return proc_text(fmt::format("/proc/{}/auxv", pid));
}

bool has_loader(std::int64_t pid) {
  const std::string vector = auxiliary_vector(thread_that_shows(pid));
  return vector.empty() || auxiliary(vector, AT_BASE).value_or(0) != 0;
}

namespace {

std::ifstream environment_of(std::int64_t pid) {
  return std::ifstream(fmt::format("/proc/{}/environ", pid), std::ios::binary);
}

}  // namespace

bool has_variable(std::int64_t pid, std::string_view text) {
  std::ifstream file = environment_of(pid);
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (variable == text) return true;
  }
  return false;
}

bool has_local_rank(std::int64_t pid) {
  std::ifstream file = environment_of(pid);
  bool is_read = false;  // nobody may see it, or the program has only just been loaded
  for (std::string variable; std::getline(file, variable, '\0');) {
    for (const std::string_view name : kLocalRanks) {
      if (variable.starts_with(name) && variable[name.size()] == '=') return true;
    }
    is_read = true;
  }
  return !is_read;
}

std::optional<std::uint64_t> connection_to_launcher(std::int64_t pid) {
  constexpr std::string_view kName = "PMI_FD=";
  std::ifstream file = environment_of(pid);
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (variable.starts_with(kName)) {
      return std::strtoull(variable.c_str() + kName.size(), nullptr, 10);
    }
  }
  return {};
}

// The function that waits may be part of the one that calls it.
bool is_in_freezer(std::int64_t pid) {
  const std::string wait_channel = proc_text(fmt::format("/proc/{}/wchan", pid));
  return wait_channel == "do_freezer_trap" || wait_channel == "get_signal";
}

bool waits_for_a_page(std::int64_t pid, std::int64_t tid) {
  return proc_text(fmt::format("/proc/{}/task/{}/wchan", pid, tid)) == "handle_userfault";
}

bool has_ended_before_others(std::int64_t pid, std::int64_t tid) {
  return tid == pid && thread_stat(pid, tid).state == 'Z';
}

bool has_ended_just_now(std::int64_t pid, std::int64_t tid) {
  const char state = thread_stat(pid, tid).state;
  if (state == '\0') return means_gone(errno);
  return state == 'X' || state == 'Z';
}

}  // namespace gridlock::run
