// Errors and the end of a file are always told, so they are wanted too.
#include "harness/run/look/kernel/descriptors/wanted.h"

#include <sys/epoll.h>

namespace gridlock::run {

Wanted wanted_by(std::uint32_t events) {
  constexpr std::uint32_t kRoom = EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
  return (events & kRoom) != 0 ? Wanted::any_events : Wanted::events;
}

}  // namespace gridlock::run
