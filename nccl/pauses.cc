// NCCL's host threads spin while they wait: for bytes of a socket, for a flag, for their device. On
// a machine that simulates devices on its processor, they take the cores that would end their wait.
// These functions stand before the C library's in NCCL's own calls (the linker's --wrap). They
// return what the C library would, but a thread that has waited for a while sleeps for a fraction
// of that time before it looks again. No call sleeps for longer than a millisecond, so NCCL still
// sees an abort.
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

extern "C" {
ssize_t __real_recv(int, void*, size_t, int);
ssize_t __real_send(int, const void*, size_t, int);
int __real_accept(int, sockaddr*, socklen_t*);
int __real_poll(pollfd*, nfds_t, int);
int __real_sched_yield();
int __real_usleep(useconds_t);
}

namespace {

constexpr long kMicrosecond = 1000;
constexpr long kMillisecond = 1000 * kMicrosecond;
constexpr long kShort = 100 * kMicrosecond;  // a wait that is over within this time costs no sleep
constexpr long kLongest = kMillisecond;      // sleep
constexpr long kShare = 8;                   // a sleep is this part of the wait so far
constexpr long kBusy = 200 * kMicrosecond;   // between two looks: the thread has done other things

struct Wait {
  long begin;  // nanoseconds, monotonic; 0: the thread does not wait
  long last;   // when it looked last
};
thread_local Wait wait_;

long now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 * kMillisecond + time.tv_nsec;
}

void moved() { wait_.begin = 0; }

// Behind a look that has found nothing: for how long the thread shall sleep; 0: not at all.
long next_sleep() {
  const long time = now();
  if (wait_.begin == 0 || time - wait_.last > kBusy) wait_.begin = time;
  wait_.last = time;
  const long waited = time - wait_.begin;
  if (waited < kShort) return 0;
  const long sleep = waited / kShare;
  return sleep < kLongest ? sleep : kLongest;
}

// Sleeps, or until the descriptors are ready. Keeps errno.
void sleep_for(long nanoseconds, pollfd* descriptors, nfds_t count) {
  const int error = errno;
  const timespec limit = {0, nanoseconds};
  ppoll(descriptors, count, &limit, nullptr);
  errno = error;
  wait_.last = now();
}

bool found_nothing(ssize_t result) {
  return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// What a call on a socket has returned; sleeps if that was nothing.
template <typename Result>
Result after(Result result, int socket, short event) {
  if (!found_nothing(result)) {
    moved();
  } else if (const long sleep = next_sleep(); sleep > 0) {
    pollfd descriptor = {socket, event, 0};
    sleep_for(sleep, &descriptor, 1);
    errno = EAGAIN;
  }
  return result;
}

}  // namespace

extern "C" {

ssize_t __wrap_recv(int socket, void* data, size_t size, int flags) {
  return after(__real_recv(socket, data, size, flags), socket, POLLIN);
}

ssize_t __wrap_send(int socket, const void* data, size_t size, int flags) {
  return after(__real_send(socket, data, size, flags), socket, POLLOUT);
}

int __wrap_accept(int socket, sockaddr* address, socklen_t* size) {
  return after(__real_accept(socket, address, size), socket, POLLIN);
}

int __wrap_poll(pollfd* descriptors, nfds_t count, int limit) {
  const int ready = __real_poll(descriptors, count, limit);
  if (ready != 0) {
    moved();
  } else if (limit == 0) {
    if (const long sleep = next_sleep(); sleep > 0) sleep_for(sleep, nullptr, 0);
  }
  return ready;
}

int __wrap_sched_yield() {
  if (const long sleep = next_sleep(); sleep > 0) {
    sleep_for(sleep, nullptr, 0);
    return 0;
  }
  return __real_sched_yield();
}

int __wrap_usleep(useconds_t time) {
  const long sleep = next_sleep();
  if (sleep <= static_cast<long>(time) * kMicrosecond) return __real_usleep(time);
  sleep_for(sleep, nullptr, 0);
  return 0;
}
}
