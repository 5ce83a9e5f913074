// For how long a wait at a descriptor lasts at most.
#pragma once

#include <sys/types.h>

#include <string>

#include "harness/base/limits.h"

namespace gridlock::run {

// By the limit of a socket (SO_RCVTIMEO, SO_SNDTIMEO), or by a timer, which may be in a set of
// epoll. 0: there is none, or one of kFarLimit and more.
Duration longest_receive(pid_t pid, int number);
Duration longest_send(pid_t pid, int number);
Duration longest_poll(pid_t pid, int number);  // which minds no limit of a socket

// Whether a timer is not set, by what the kernel tells about it (info_of()).
bool is_disarmed(const std::string& info);

}  // namespace gridlock::run
