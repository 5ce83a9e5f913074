// Finds out from a system call and its arguments which processes can end it. A call that is not
// listed may end by itself.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "harness/run/look/kernel/descriptors/file_locks.h"
#include "harness/run/look/kernel/descriptors/polled.h"
#include "harness/run/look/kernel/descriptors/signalling_files.h"
#include "harness/run/look/kernel/descriptors/socket_end.h"
#include "harness/run/look/kernel/descriptors/system_v.h"
#include "harness/run/look/kernel/signals.h"
#include "harness/run/look/kernel/sleeping.h"
#include "harness/run/look/kernel/time_limit.h"
#include "harness/run/look/kernel/timers.h"

namespace gridlock::run {
namespace {

// Whether the kernel lists a child that is not among `job`: one that has ended, or has just begun.
bool has_unlisted_child(pid_t pid, std::span<const JobProcess> job) {
  std::istringstream children(proc_text(fmt::format("/proc/{}/task/{}/children", pid, pid)));
  for (pid_t child = 0; children >> child;) {
    const auto is_it = [child](const JobProcess& one) { return one.pid == child; };
    if (std::ranges::none_of(job, is_it)) return true;
  }
  return false;
}

}  // namespace

Sleepers::Wait Sleepers::wait_of(const JobProcess& process, const SystemCall& call) {
  const auto& argument = call.arguments;
  switch (call.number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return clock(process);
    case SYS_futex:
      return futex(process, call);
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
      return at_descriptor(process, call, Wanted::data);
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
      return at_descriptor(process, call, Wanted::anything);
    case SYS_accept:
    case SYS_accept4:
      return connection(process, call);
    case SYS_flock:
      return file_lock(process, call.as_int(0));
    case SYS_fcntl:
      if (call.as_int(1) != F_SETLKW && call.as_int(1) != F_OFD_SETLKW) return {};
      return file_lock(process, call.as_int(0));
    case SYS_semop:
    case SYS_msgrcv:
    case SYS_msgsnd:
      return system_v(process, call);
    case SYS_semtimedop:
      if (argument[3] != 0) return {};
      return system_v(process, call);
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend:
      if (argument[4] != 0) return {};
      return message_queue(process, call.as_int(0));
    case SYS_wait4:
      return child(process, call.as_int(0) <= 0, call.as_int(0));
    case SYS_waitid:
      return child(process, argument[0] != P_PID, call.as_int(1));
    case SYS_poll:
    case SYS_ppoll:
      return poll(process, call);
    case SYS_select:
    case SYS_pselect6: {
      const bool has_limit = argument[4] != 0;
      return at_any(process, polled_by(process.pid, call), has_limit);
    }
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return event_loop(process, call, call.as_int(3) >= 0);
    case SYS_epoll_pwait2:
      return event_loop(process, call, argument[3] != 0);
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
      return signal(process, call);
    default:
      return {};
  }
}

Sleepers::Wait Sleepers::at_descriptor(const JobProcess& process, const SystemCall& call,
                                       Wanted wanted) {
  return {.wakers = holders_.wakers(process.pid, call.as_int(0), wanted),
          .on = fmt::format("descriptor {}", call.as_int(0)),
          .at_one_file = true};
}

Sleepers::Wait Sleepers::event_loop(const JobProcess& process, const SystemCall& call,
                                    bool has_limit) {
  Wait wait = at_descriptor(process, call, Wanted::anything);
  wait.at_one_file = false;
  wait.has_near_limit = has_limit;
  return wait;
}

Sleepers::Wait Sleepers::file_lock(const JobProcess& process, int descriptor) {
  // Another host may hold a lock on a shared file system. This host's own queue shows that it waits
  // for a lock of this host.
  const FileLocks locks = locks_of(process.pid, descriptor);
  std::optional<Wakers> wakers = holders_.openers(process.pid, descriptor);
  if (!locks.waits || !wakers) return {};
  // A mapping keeps the file open without a descriptor. So who took the lock may hold it, and if
  // that is not known (of a lock of the open file, the kernel does not tell), so may anybody.
  for (const pid_t taker : locks.takers) {
    const auto of_job = std::ranges::find(job_, taker, &JobProcess::pid);
    if (of_job == job_.end()) return {};
    wakers->keys.push_back(of_job->key);
  }
  const bool others_hold =
      std::ranges::any_of(wakers->keys, [&](record::ProcessKey key) { return key != process.key; });
  if (!others_hold && std::ranges::count(locks.takers, process.pid) == 0) return {};
  return {.wakers = std::move(wakers), .on = "a file lock"};
}

Sleepers::Wait Sleepers::system_v(const JobProcess& process, const SystemCall& call) const {
  // Only a proof asks for it.
  if (scope_ == Scope::host && is_used_by_stranger(process.pid, call, job_)) return {};
  Wakers all;
  all.has_name = all.anybody = true;
  const bool is_queue = call.number == SYS_msgrcv || call.number == SYS_msgsnd;
  return {.wakers = std::move(all), .on = is_queue ? "a message queue" : "a semaphore"};
}

Sleepers::Wait Sleepers::message_queue(const JobProcess& process, int descriptor) {
  return {.wakers = holders_.users_of_queue(process.pid, descriptor), .on = "a message queue"};
}

Sleepers::Wait Sleepers::child(const JobProcess& process, bool any, std::int64_t pid) const {
  Wakers children;
  for (const JobProcess& other : job_) {
    if (other.parent == process.pid && (any || other.pid == pid)) {
      children.keys.push_back(other.key);
    }
  }
  // A child that is not listed may have just ended, and the wait is about to.
  if (children.keys.empty() || (any && has_unlisted_child(process.pid, job_))) return {};
  return {.wakers = std::move(children), .on = "a child process"};
}

Sleepers::Wait Sleepers::clock(const JobProcess& process) const {
  Wakers children;
  for (const JobProcess& other : job_) {
    if (other.parent == process.pid) children.keys.push_back(other.key);
  }
  return {.wakers = std::move(children),
          .on = "a clock",
          .has_near_limit = true,
          .only_by_clock = true};
}

// Whoever knows the name of a local socket may connect to it. To another one, so may any host.
Sleepers::Wait Sleepers::connection(const JobProcess& process, const SystemCall& call) {
  Wait wait = at_descriptor(process, call, Wanted::anything);
  if (!wait.wakers || !is_unix(process.pid, call.as_int(0))) return {};
  wait.wakers->listeners.clear();
  wait.wakers->has_name = wait.wakers->anybody = true;
  return wait;
}

Sleepers::Wait Sleepers::poll(const JobProcess& process, const SystemCall& call) {
  // A loop over many events often sleeps until its next timer.
  const TimeLimit limit = limit_of_poll(process.pid, call);
  if (limit == TimeLimit::far && call.arguments[1] != 1) return {};
  Wait wait = at_any(process, polled_by(process.pid, call), limit == TimeLimit::near);
  if (limit == TimeLimit::far && !wait.at_one_file) return {};  // it asks about nothing
  wait.has_far_limit = limit == TimeLimit::far;
  return wait;
}

Sleepers::Wait Sleepers::at_any(const JobProcess& process,
                                const std::optional<std::vector<PolledDescriptor>>& polled,
                                bool has_limit) {
  if (!polled) return {};
  if (polled->empty() && has_limit) return clock(process);
  Wakers wakers;
  for (const PolledDescriptor& one : *polled) {
    const auto more = holders_.wakers(process.pid, one.number, one.wanted);
    if (!more) return {};
    wakers.add(*more);
  }
  return {.wakers = std::move(wakers),
          .on = polled->size() == 1 ? fmt::format("descriptor {}", polled->front().number)
                                    : fmt::format("{} descriptors", polled->size()),
          .at_one_file = polled->size() == 1,
          .has_near_limit = has_limit};
}

Sleepers::Wait Sleepers::signal(const JobProcess& process, const SystemCall& call) const {
  if (may_ring(process.pid).value_or(true)) return {};
  if (has_signalling_file(process.pid)) return {};
  if (call.number == SYS_rt_sigtimedwait) {
    SignalSet set = ~SignalSet{0};
    const bool has_limit = call.arguments[2] != 0;
    const bool is_read =
        read_memory(process.pid, call.arguments[0], std::as_writable_bytes(std::span(&set, 1)));
    if (has_limit || !is_read || (set & (kOfTimers | kOfDescriptors)) != 0) return {};
  }
  // Any process of the host may send one, also below another agent. Without a handler, it ends the
  // whole process.
  const bool is_wanted = call.number == SYS_rt_sigtimedwait;
  const SignalSet caught = thread_status(process.pid, process.pid).caught;
  const bool is_handled = is_wanted || (caught & ~kOfGlibc) != 0;
  Wakers all;
  all.anybody = true;
  return {.wakers = std::move(all), .on = "a signal", .is_signal = is_handled};
}

}  // namespace gridlock::run
