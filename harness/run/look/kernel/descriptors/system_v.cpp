// The kernel says which process was the last to use an object, by its number.
#include "harness/run/look/kernel/descriptors/system_v.h"

#include <fmt/format.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include "harness/run/look/kernel/address_space.h"

namespace gridlock::run {
namespace {

bool shares_numbers_with(pid_t pid) {
  struct stat own {};
  struct stat its {};
  const std::string path = fmt::format("/proc/{}/ns/ipc", pid);
  return stat("/proc/self/ns/ipc", &own) == 0 && stat(path.c_str(), &its) == 0 &&
         own.st_ino == its.st_ino;
}

// The processes that last did something to it; false if nobody may ask.
bool last_users(pid_t pid, const SystemCall& call, std::vector<pid_t>& users) {
  const int number = call.as_int(0);
  if (call.number == SYS_msgrcv || call.number == SYS_msgsnd) {
    msqid_ds queue{};
    if (msgctl(number, IPC_STAT, &queue) != 0) return false;
    users = {queue.msg_lspid, queue.msg_lrpid};
    return true;
  }
  std::array<sembuf, 16> operations{};
  if (call.arguments[2] > operations.size()) return false;
  const auto asked = std::span(operations).first(call.arguments[2]);
  if (!read_memory(pid, call.arguments[1], std::as_writable_bytes(asked))) return false;
  return std::ranges::all_of(asked, [&](const sembuf& operation) {
    users.push_back(semctl(number, operation.sem_num, GETPID));
    return users.back() >= 0;
  });
}

}  // namespace

bool is_used_by_stranger(pid_t pid, const SystemCall& call, std::span<const JobProcess> job) {
  std::vector<pid_t> users;
  if (!shares_numbers_with(pid) || !last_users(pid, call, users)) return true;
  const auto lives = [](pid_t user) { return kill(user, 0) == 0 || errno == EPERM; };
  return std::ranges::any_of(users, [&](pid_t user) {
    return user != 0 && lives(user) && std::ranges::count(job, user, &JobProcess::pid) == 0;
  });
}

}  // namespace gridlock::run
