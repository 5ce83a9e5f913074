// Reads limits where the caller has put them. When a relative one began is not known, so it counts
// in full.
#include "harness/run/look/kernel/time_limit.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>

#include "harness/run/look/kernel/address_space.h"
#include "harness/run/look/kernel/timers.h"

namespace gridlock::run {
namespace {

Duration duration_of(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}
Duration duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

template <class Time = timespec>
std::optional<Duration> duration_at(std::int64_t pid, std::uint64_t address) {
  Time time{};
  if (!read_memory(pid, address, std::as_writable_bytes(std::span(&time, 1)))) return {};
  return duration_of(time);
}

// {}: its clock may be another one than ours.
std::optional<Duration> until(std::int64_t pid, std::optional<Duration> time, clockid_t clock) {
  if (clock == CLOCK_MONOTONIC) {
    const Duration now(monotonic_now(pid));
    return time && now != Duration(0) ? std::optional(*time - now) : std::nullopt;
  }
  const bool is_everybodys = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM ||
                             clock == CLOCK_TAI || clock == CLOCK_BOOTTIME ||
                             clock == CLOCK_BOOTTIME_ALARM;
  timespec now{};
  if (!time || !is_everybodys || clock_gettime(clock, &now) != 0) return {};
  return *time - duration_of(now);
}

// What is left of the limit of a futex, which has one.
std::optional<Duration> left_at_futex(std::int64_t pid, const SystemCall& call) {
  constexpr std::uint32_t kOptions = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  const auto operation = static_cast<std::uint32_t>(call.arguments[1]);
  const std::uint32_t kind = operation & ~kOptions;
  const std::optional<Duration> limit = duration_at(pid, call.arguments[3]);
  if (kind == FUTEX_WAIT) return limit;
  const bool by_real_time = kind == FUTEX_LOCK_PI || (operation & FUTEX_CLOCK_REALTIME) != 0;
  return until(pid, limit, by_real_time ? CLOCK_REALTIME : CLOCK_MONOTONIC);
}

Duration in_milliseconds(std::uint64_t argument) {
  return std::chrono::milliseconds(static_cast<std::int32_t>(argument));
}

std::optional<Duration> limit_at_poll(std::int64_t pid, const SystemCall& call) {
  if (call.number == SYS_poll) return in_milliseconds(call.arguments[2]);
  return call.arguments[2] == 0 ? std::nullopt : duration_at(pid, call.arguments[2]);
}

}  // namespace

TimeLimit time_limit(Duration limit) {
  return limit >= kFarLimit ? TimeLimit::far : TimeLimit::near;
}

TimeLimit limit_of_futex(std::int64_t pid, const SystemCall& call) {
  if (call.arguments[3] == 0) return TimeLimit::none;
  const std::optional<Duration> left = left_at_futex(pid, call);
  return left ? time_limit(*left) : TimeLimit::near;
}

TimeLimit limit_of_poll(std::int64_t pid, const SystemCall& call) {
  const bool has_none = call.number == SYS_poll ? in_milliseconds(call.arguments[2]) < Duration(0)
                                                : call.arguments[2] == 0;
  if (has_none) return TimeLimit::none;
  const std::optional<Duration> limit = limit_at_poll(pid, call);
  return limit ? time_limit(*limit) : TimeLimit::near;
}

bool has_hidden_limit(const SystemCall& call) {
  // What a ring waits for may have a limit of its own. After a stop, the arguments are not those of
  // the call that goes on.
  return call.number == SYS_io_uring_enter || call.number == SYS_restart_syscall;
}

Duration longest_sleep(std::int64_t pid, const SystemCall& call) {
  const auto& argument = call.arguments;
  std::optional<Duration> left;
  switch (call.number) {
    case SYS_futex:
      if (argument[3] != 0) left = left_at_futex(pid, call);
      break;
    case SYS_poll:
    case SYS_ppoll:
      left = limit_at_poll(pid, call);
      break;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      left = in_milliseconds(argument[3]);
      break;
    case SYS_select:
      if (argument[4] != 0) left = duration_at<timeval>(pid, argument[4]);
      break;
    case SYS_pselect6:
      if (argument[4] != 0) left = duration_at(pid, argument[4]);
      break;
    case SYS_epoll_pwait2:
      if (argument[3] != 0) left = duration_at(pid, argument[3]);
      break;
    case SYS_nanosleep:
      left = duration_at(pid, argument[0]);
      break;
    case SYS_clock_nanosleep: {
      left = duration_at(pid, argument[2]);
      if ((argument[1] & TIMER_ABSTIME) != 0) {
        left = until(pid, left, static_cast<clockid_t>(argument[0]));
      }
      break;
    }
    case SYS_rt_sigtimedwait:
      if (argument[2] != 0) left = duration_at(pid, argument[2]);
      break;
    case SYS_semtimedop:
      if (argument[3] != 0) left = duration_at(pid, argument[3]);
      break;
    case SYS_recvmmsg:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
      if (argument[4] != 0) left = duration_at(pid, argument[4]);
      break;
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend:
      if (argument[4] != 0) left = until(pid, duration_at(pid, argument[4]), CLOCK_REALTIME);
      break;
    case SYS_futex_waitv:
      if (argument[3] == 0) break;
      left = until(pid, duration_at(pid, argument[3]), static_cast<clockid_t>(argument[4]));
      break;
    default:
      break;
  }
  const bool is_soon = left && *left > Duration(0) && *left < kFarLimit;
  return is_soon ? *left : Duration(0);
}

}  // namespace gridlock::run
