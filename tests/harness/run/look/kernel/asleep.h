// Real processes that sleep, and what is said of them.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "harness/run/look/kernel/sleeping.h"

namespace gridlock::run {

// A child process that does `work` until it is killed.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(fork()) {
    if (pid_ != 0) return;
    work();
    _exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  record::ProcessKey key() const { return record::process_key(0, pid_); }
  JobProcess in_job() const {
    return {.pid = pid_, .parent = getpid(), .key = key(), .is_rank = true};
  }

 private:
  pid_t pid_;
};

inline JobProcess itself() {
  return {.pid = getpid(), .parent = getppid(), .key = record::process_key(0, getpid())};
}

// How thread `tid` of `process` sleeps, once it is in system call `number`.
inline record::Sleep sleep_in(std::int64_t number, const std::vector<JobProcess>& job,
                              const JobProcess& process, std::int64_t tid) {
  while (true) {
    const SystemCall call = system_call(process.pid, tid);
    if (call.sleeps && call.number == number) break;
    std::this_thread::yield();
  }
  return Sleepers(job).look(process, tid);
}

inline std::set<record::ProcessKey> wakers(const record::Sleep& sleep) {
  return {sleep.wakers.begin(), sleep.wakers.end()};
}
using Keys = std::set<record::ProcessKey>;

}  // namespace gridlock::run
