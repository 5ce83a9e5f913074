// Reads /proc/<pid>/task; a process descriptor tells whether a process has ended.
#include "harness/run/look/kernel/kernel_view.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <set>
#include <unordered_map>

#include "harness/base/directory.h"
#include "harness/base/file_descriptor.h"
#include "harness/record/format.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

// Whether the thread is exiting: a zombie, or in the kernel's exit path, which closes files and
// sockets before the process counts as gone. The kernel ends a process by a signal to each of its
// threads, which may get no core yet.
bool is_ending(const ThreadStat& stat) {
  constexpr std::uint64_t kExiting = 0x4;  // PF_EXITING
  return stat.state == 'Z' || stat.state == 'X' || stat.state == 'x' ||
         ((stat.flags & kExiting) != 0) || (stat.pending & signal_bit(SIGKILL)) != 0;
}

// Names of the calls in which stuck ranks are usually found; others are given by number.
std::string name_of(long number) {
  static const std::unordered_map<long, std::string_view> kNames{
      {SYS_read, "read"},
      {SYS_write, "write"},
      {SYS_readv, "readv"},
      {SYS_writev, "writev"},
      {SYS_recvfrom, "recv"},
      {SYS_recvmsg, "recvmsg"},
      {SYS_sendto, "send"},
      {SYS_sendmsg, "sendmsg"},
      {SYS_accept, "accept"},
      {SYS_accept4, "accept"},
      {SYS_connect, "connect"},
      {SYS_poll, "poll"},
      {SYS_ppoll, "ppoll"},
      {SYS_select, "select"},
      {SYS_pselect6, "pselect"},
      {SYS_epoll_wait, "epoll_wait"},
      {SYS_futex, "futex"},
      {SYS_nanosleep, "nanosleep"},
      {SYS_pause, "pause"},
      {SYS_clock_nanosleep, "clock_nanosleep"},
      {SYS_wait4, "wait4"},
      {SYS_waitid, "waitid"},
      {SYS_fsync, "fsync"},
      {SYS_flock, "flock"},
      {SYS_fcntl, "fcntl"},
      {SYS_ioctl, "ioctl"},
      {SYS_epoll_pwait, "epoll_wait"},
      {SYS_rt_sigtimedwait, "sigtimedwait"},
      {SYS_rt_sigsuspend, "sigsuspend"},
      {SYS_msgrcv, "msgrcv"},
      {SYS_msgsnd, "msgsnd"},
      {SYS_semop, "semop"},
      {SYS_semtimedop, "semop"},
      {SYS_mq_timedreceive, "mq_receive"},
      {SYS_mq_timedsend, "mq_send"},
      {SYS_io_getevents, "io_getevents"},
      {SYS_sched_yield, "sched_yield"}};
  const auto found = kNames.find(number);
  return found == kNames.end() ? fmt::format("system call {}", number) : std::string(found->second);
}

bool takes_descriptor(long number) {
  static const std::set<long> kCalls{
      SYS_read,   SYS_write,   SYS_readv,  SYS_writev,     SYS_recvfrom,   SYS_recvmsg,
      SYS_sendto, SYS_sendmsg, SYS_accept, SYS_accept4,    SYS_connect,    SYS_fsync,
      SYS_flock,  SYS_fcntl,   SYS_ioctl,  SYS_epoll_wait, SYS_epoll_pwait};
  return kCalls.contains(number);
}

// "socket", "pipe", or where a descriptor of the process leads.
std::string target_of(std::int64_t pid, long descriptor) {
  std::array<char, 256> target{};
  const std::string link = fmt::format("/proc/{}/fd/{}", pid, descriptor);
  const ssize_t size = readlink(link.c_str(), target.data(), target.size());
  if (size <= 0) return {};
  const std::string_view view(target.data(), static_cast<std::size_t>(size));
  return std::string(view.starts_with("/") ? view : view.substr(0, view.find(':')));
}

// "recv(5, socket)" from /proc's "45 0x5 0x7ff…".
std::string describe_call(const std::string& line, std::int64_t pid) {
  if (line.empty() || line == "running") return {};
  long number = -1;
  std::from_chars(line.data(), line.data() + line.size(), number);
  if (number < 0) return {};
  if (!takes_descriptor(number)) return name_of(number);
  const auto space = line.find(' ');
  const long descriptor =
      space == std::string::npos ? -1 : std::strtol(line.c_str() + space + 1, nullptr, 16);
  const std::string target = target_of(pid, descriptor);
  return target.empty() ? fmt::format("{}({})", name_of(number), descriptor)
                        : fmt::format("{}({}, {})", name_of(number), descriptor, target);
}

// Returns whether the thread lives, and is not about to end.
bool describe_thread(record::Thread& thread, std::int64_t pid) {
  ThreadStat stat = thread_stat(pid, thread.tid);
  thread.exists = stat.state != '\0' || !means_gone(errno);
  if (stat.state == '\0') return false;
  thread.name = std::move(stat.name);
  thread.state = stat.state;
  const bool lives = !is_ending(stat);
  // In a recorded wait, what the vendor does in the kernel does not matter, and is not reported.
  if (thread.waits != record::Waits::nothing) return lives;
  const std::string folder = fmt::format("/proc/{}/task/{}/", pid, thread.tid);
  thread.syscall = describe_call(proc_text(folder + "syscall"), pid);
  const std::string channel = proc_text(folder + "wchan");
  // Without what the compiler adds to the name of a copy of a function: ".constprop.0", ".isra.0".
  thread.wait_channel = channel == "0" ? "" : channel.substr(0, channel.find('.'));
  return lives;
}

}  // namespace

void describe(record::Sleeper& thread) {
  const std::int64_t pid = record::pid_of(thread.process);
  ThreadStat stat = thread_stat(pid, thread.tid);
  thread.name = std::move(stat.name);
  thread.state = stat.state;
  const std::string call = fmt::format("/proc/{}/task/{}/syscall", pid, thread.tid);
  thread.syscall = describe_call(proc_text(call), pid);
}

bool is_process_ending(std::int64_t pid) {
  const auto ends = [pid](std::int64_t tid) {
    const ThreadStat stat = thread_stat(pid, tid);
    return stat.state == '\0' || is_ending(stat);
  };
  if (!ends(pid)) return false;
  const Directory directory = open_directory(fmt::format("/proc/{}/task", pid));
  while (const dirent* found = directory ? readdir(directory.get()) : nullptr) {
    const std::int64_t tid = std::strtoll(found->d_name, nullptr, 10);
    if (tid != 0 && tid != pid && !ends(tid)) return false;
  }
  return true;
}

bool has_ended(std::int64_t pid) {
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_open()) return errno == ESRCH;
  // Readable once the last thread has ended, even if the process is not reaped yet.
  pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
  return poll(&ended, 1, 0) > 0;
}

void add_kernel_view(record::Snapshot& snapshot) {
  // Threads that do not count as others: recorded ones, and the libraries'.
  std::set<std::int64_t> known(snapshot.library_threads.begin(), snapshot.library_threads.end());
  bool lives = false;
  for (record::Thread& thread : snapshot.threads) {
    lives |= describe_thread(thread, snapshot.pid);
    known.insert(thread.tid);
  }
  snapshot.first_thread = {};
  if (snapshot.threads.empty() && snapshot.pid != 0) {
    snapshot.first_thread.tid = snapshot.pid;
    lives = describe_thread(snapshot.first_thread, snapshot.pid);
  }
  // A rank without a known process has not begun, so it cannot be ending.
  snapshot.is_ending = snapshot.pid != 0 && !lives && is_process_ending(snapshot.pid);
  // A process that is ending will soon be gone. A library that starts a thread is awake, and nobody
  // knows yet which of the process's threads that is. Until then nothing is proven about it.
  const bool starts_thread = known.contains(record::kLibraryThreadToCome);
  for (record::Thread& thread : snapshot.threads) {
    if (snapshot.is_ending) thread.exists = true;
    if (snapshot.is_ending || starts_thread) thread.waits = record::Waits::nothing;
  }
  snapshot.other_threads = 0;
  const std::string tasks = fmt::format("/proc/{}/task", snapshot.pid);
  const Directory directory = open_directory(tasks);
  if (!directory) {
    if (!means_gone(errno)) snapshot.other_threads = 1;  // there may be any
    return;
  }
  while (const dirent* found = readdir(directory.get())) {
    if (found->d_name[0] == '.') continue;
    const std::int64_t tid = std::strtoll(found->d_name, nullptr, 10);
    if (!known.contains(tid) && !has_ended_before_others(snapshot.pid, tid)) {
      ++snapshot.other_threads;
    }
  }
}

}  // namespace gridlock::run
