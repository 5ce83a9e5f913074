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
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/look/kernel/address_space.h"
#include "harness/run/look/kernel/kernel_view.h"

namespace gridlock::run {
namespace {

bool shares_numbers_with(pid_t pid) {
  struct stat own {};
  struct stat its {};
  const std::string path = fmt::format("/proc/{}/ns/ipc", pid);
  return stat("/proc/self/ns/ipc", &own) == 0 && stat(path.c_str(), &its) == 0 &&
         own.st_ino == its.st_ino;
}

// The processes that last did something to it; 0 stands for one that this process cannot see. Empty
// optional: nobody may ask.
using Users = std::optional<std::vector<pid_t>>;

// Who was the last, if there was one.
void add(std::vector<pid_t>& users, pid_t last, time_t when) {
  if (last != 0 || when != 0) users.push_back(last);
}

Users users_of_queue(int number) {
  msqid_ds queue{};
  if (msgctl(number, IPC_STAT, &queue) != 0) return {};
  std::vector<pid_t> users;
  add(users, queue.msg_lspid, queue.msg_stime);
  add(users, queue.msg_lrpid, queue.msg_rtime);
  return users;
}

Users users_of_semaphores(int number, std::span<const sembuf> operations) {
  semid_ds set{};
  if (semctl(number, 0, IPC_STAT, &set) != 0) return {};
  std::vector<pid_t> users;
  for (const sembuf& operation : operations) {
    const pid_t last = semctl(number, operation.sem_num, GETPID);
    if (last < 0) return {};
    add(users, last, set.sem_otime);
  }
  return users;
}

Users last_users(pid_t pid, const SystemCall& call) {
  if (call.number == SYS_msgrcv || call.number == SYS_msgsnd) return users_of_queue(call.as_int(0));
  std::array<sembuf, 16> operations{};
  if (call.arguments[2] > operations.size()) return {};
  const auto asked = std::span(operations).first(call.arguments[2]);
  if (!read_memory(pid, call.arguments[1], std::as_writable_bytes(asked))) return {};
  return users_of_semaphores(call.as_int(0), asked);
}

}  // namespace

bool is_used_by_stranger(pid_t pid, const SystemCall& call, std::span<const JobProcess> job) {
  if (!shares_numbers_with(pid)) return true;
  const Users users = last_users(pid, call);
  return !users || std::ranges::any_of(*users, [&](pid_t user) {
    return user == 0 || (!has_ended(user) && std::ranges::count(job, user, &JobProcess::pid) == 0);
  });
}

}  // namespace gridlock::run
