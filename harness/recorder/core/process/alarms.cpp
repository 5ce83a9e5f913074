// alarm(), ualarm() and setitimer(): /proc shows a process's timers (timer_create), but not its
// alarm, which may end a wait or the process. So an alarm that is set gets a timer beside it that
// never fires, and whose value says when the alarm rings for the last time
// (harness/record/alarm.h).
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "harness/record/alarm.h"
#include "harness/recorder/core/interpose.h"

namespace {

// Whose timer stands beside the alarm, and its number: a forked child inherits neither.
constexpr std::uint64_t kNone = 0;
std::atomic<std::uint64_t> g_shown = kNone;

std::uint64_t own(int timer) {
  return static_cast<std::uint64_t>(getpid()) << 32U | static_cast<std::uint32_t>(timer);
}
// In nanoseconds of the monotonic clock.
std::uintptr_t last_ring(const itimerval& alarm) {
  if (alarm.it_interval.tv_sec != 0 || alarm.it_interval.tv_usec != 0)
    return gridlock::record::kRingsAgain;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uintptr_t>((now.tv_sec + alarm.it_value.tv_sec) * 1'000'000'000 +
                                     now.tv_nsec + alarm.it_value.tv_usec * 1'000);
}
bool is_own(std::uint64_t shown) {
  return shown != kNone && shown >> 32U == static_cast<std::uint64_t>(getpid());
}

void remove(std::uint64_t shown) {
  if (is_own(shown)) syscall(SYS_timer_delete, static_cast<int>(shown & 0xffffffffU));
}

// System calls, because a signal's handler may set an alarm.
void show(const itimerval& alarm) {
  sigevent silent{};
  silent.sigev_notify = SIGEV_NONE;
  silent.sigev_signo = SIGALRM;
  silent.sigev_value.sival_ptr = std::bit_cast<void*>(last_ring(alarm));
  int timer = 0;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &silent, &timer) != 0) return;
  remove(g_shown.exchange(own(timer)));
}

void hide() { remove(g_shown.exchange(kNone)); }

bool is_set(const itimerval& alarm) {
  return alarm.it_value.tv_sec != 0 || alarm.it_value.tv_usec != 0;
}

// The time of the alarm that was set before.
itimerval set(const itimerval& alarm, int& result) {
  itimerval before{};
  if (is_set(alarm)) show(alarm);  // before it can fire
  result = static_cast<int>(syscall(SYS_setitimer, ITIMER_REAL, &alarm, &before));
  if (result == 0 && !is_set(alarm)) hide();
  return before;
}

// An alarm outlives exec, and the timer does not.
[[gnu::constructor]] void show_inherited() {
  itimerval alarm{};
  if (getitimer(ITIMER_REAL, &alarm) == 0 && is_set(alarm)) show(alarm);
}

}  // namespace

GRIDLOCK_INTERPOSE unsigned int alarm(unsigned int seconds) noexcept {
  itimerval next{};
  next.it_value.tv_sec = seconds;
  int result = 0;
  const itimerval left = set(next, result);
  // As glibc does: rounded, but not to 0.
  constexpr long kHalf = 500'000;
  const bool up =
      left.it_value.tv_usec >= kHalf || (left.it_value.tv_sec == 0 && left.it_value.tv_usec > 0);
  return static_cast<unsigned int>(left.it_value.tv_sec) + (up ? 1 : 0);
}

// The first signal and the time between the later ones, in microseconds.
GRIDLOCK_INTERPOSE useconds_t ualarm(useconds_t first, useconds_t again) noexcept {
  constexpr useconds_t kSecond = 1'000'000;
  itimerval next{};
  next.it_value = {.tv_sec = first / kSecond, .tv_usec = first % kSecond};
  next.it_interval = {.tv_sec = again / kSecond, .tv_usec = again % kSecond};
  int result = 0;
  const itimerval left = set(next, result);
  return result == 0
             ? static_cast<useconds_t>(left.it_value.tv_sec * kSecond + left.it_value.tv_usec)
             : static_cast<useconds_t>(-1);
}

GRIDLOCK_INTERPOSE int setitimer(__itimer_which_t which, const itimerval* next,
                                 itimerval* before) noexcept {
  if (which != ITIMER_REAL || next == nullptr) {
    return static_cast<int>(syscall(SYS_setitimer, which, next, before));
  }
  int result = 0;
  const itimerval old = set(*next, result);
  if (result == 0 && before != nullptr) *before = old;
  return result;
}
