// Why a thread counts as asleep, or does not.
#include "harness/run/look/kernel/sleeping.h"

#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>
#include <utility>

#include "harness/run/look/kernel/descriptors/longest_wait.h"
#include "harness/run/look/kernel/descriptors/polled.h"
#include "harness/run/look/kernel/signals.h"
#include "harness/run/look/kernel/time_limit.h"

namespace gridlock::run {

using record::Awake;

namespace {

record::Sleep awake(Awake why) {
  record::Sleep sleep;
  sleep.awake = why;
  return sleep;
}

// Whether CUDA's driver may sleep so while it waits for a device, between two glances at it.
bool may_be_drivers_own(long number) {
  return number == SYS_poll || number == SYS_ppoll || number == SYS_ioctl ||
         number == SYS_nanosleep || number == SYS_clock_nanosleep;
}

}  // namespace

record::Sleep Sleepers::look(const JobProcess& process, std::int64_t tid, In in) {
  const SystemCall call = system_call(process.pid, tid);
  if (!call.sleeps) return awake(Awake::runs);
  if (is_frozen(process.pid)) return awake(Awake::frozen);
  const ThreadStatus status = thread_status(process.pid, tid);
  if (status.state != 'S') return awake(Awake::runs);
  if ((status.pending & status.caught) != 0) return awake(Awake::by_signal);
  // An alarm may interrupt it, which only the recorder shows.
  const bool handles_alarm = (status.caught & signal_bit(SIGALRM)) != 0;
  if (handles_alarm && !memory_of(process.pid).has_recorder()) return awake(Awake::by_alarm);
  // Only a proof asks for it.
  if (scope_ == Scope::host && waits_for_a_page(process.pid, tid)) return awake(Awake::by_page);
  record::Sleep sleep;
  Wait wait = wait_of(process, call);
  if (!wait.wakers || wait.has_near_limit) {
    sleep.awake =
        in == In::launch && may_be_drivers_own(call.number) ? Awake::runs : Awake::may_end;
    sleep.limit_ns = limit_of(process, call).count();
    sleep.by_clock = wait.wakers && wait.wakers->are_listed() && sleep.limit_ns > 0;
    sleep.only_by_clock = sleep.by_clock && wait.only_by_clock;
    if (sleep.by_clock) {
      sleep.by_anybody = wait.wakers->anybody;
      sleep.has_name = wait.wakers->has_name;
      sleep.listens = !wait.wakers->listeners.empty();
      sleep.wakers = std::move(wait.wakers->keys);
    }
    sleep.has_hidden_limit = has_hidden_limit(call);
    return sleep;
  }
  const bool listens = !wait.wakers->listeners.empty();
  if (listens && !wait.wakers->serves_all_ranks(job_, process.key)) return awake(Awake::may_end);
  if (in == In::unrecorded_code &&
      memory_of(process.pid).may_be_in_vendors_call(call.stack, call.instruction)) {
    return awake(Awake::in_library);
  }
  sleep.asleep = true;
  sleep.wakers = std::move(wait.wakers->keys);
  sleep.by_anybody = wait.wakers->anybody;
  sleep.has_name = wait.wakers->has_name;
  sleep.listens = listens;
  sleep.far_ends = std::move(wait.wakers->far_ends);
  sleep.has_far_limit = wait.has_far_limit || wait.wakers->has_far_limit;
  sleep.joins = wait.joins;
  sleep.held_by = wait.held_by;
  if (wait.turns) pythons_words_[tid] = call.arguments[0];
  sleep.switches = wait.turns.value_or(status.switches);
  sleep.on = std::move(wait.on);
  sleep.for_signal = wait.is_signal;
  sleep.may_be_brief = wait.is_lock;
  sleep.may_idle = wait.may_idle;
  sleep.at_one_file = wait.at_one_file;
  return sleep;
}

Duration Sleepers::limit_of(const JobProcess& process, const SystemCall& call) {
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
      return longest_receive(process.pid, call.as_int(0));
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_connect:
      return longest_send(process.pid, call.as_int(0));
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return std::max(longest_sleep(process.pid, call), longest_poll(process.pid, call.as_int(0)));
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6: {
      Duration longest = longest_sleep(process.pid, call);
      for (const PolledDescriptor& one :
           polled_by(process.pid, call).value_or(std::vector<PolledDescriptor>())) {
        longest = std::max(longest, longest_poll(process.pid, one.number));
      }
      return longest;
    }
    default:
      return longest_sleep(process.pid, call);
  }
}

bool Sleepers::may_run_handler(const JobProcess& process, std::int64_t tid,
                               const ThreadStatus& status) {
  const SignalSet handled = status.caught & ~kOfGlibc;
  // While a handler runs, its signal is blocked, but not if it is made so (SA_NODEFER). It is no
  // longer handled if the handler has restored the default, or the kernel has (SA_RESETHAND). So
  // before a proof the stack decides.
  const bool shows_none = handled == 0 && (status.blocked & ~kOfGlibc) == 0;
  if (shows_none && scope_ == Scope::job) return false;
  const SystemCall call = system_call(process.pid, tid);
  // It has woken since its status was read, so what it slept in does not show: perhaps a handler.
  if (status.state == 'S' && call.runs) return true;
  // Programs also block signals that they wait for elsewhere (sigwait).
  if (!call.sleeps || !AddressSpace::kShowsHandlers) return (status.blocked & handled) != 0;
  return memory_of(process.pid).may_be_in_handler(call.stack);
}

const AddressSpace& Sleepers::memory_of(std::int64_t pid) {
  return memories_.try_emplace(pid, pid).first->second;
}

// A frozen thread shows the call that it was about to return from.
bool Sleepers::is_frozen(std::int64_t pid) {
  if (scope_ == Scope::job) return false;
  const auto [known, is_new] = frozen_.try_emplace(pid, false);
  if (is_new) known->second = is_in_freezer(pid);
  return known->second;
}

}  // namespace gridlock::run
