// Timers tell what is left of them, sockets what their limit was at first.
#include "harness/run/look/kernel/descriptors/longest_wait.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "harness/run/look/kernel/descriptors/epoll_set.h"
#include "harness/run/look/kernel/descriptors/links.h"
#include "harness/run/look/kernel/descriptors/socket_end.h"

namespace gridlock::run {
namespace {

// What is left until the timer fires; 0: it is not set.
Duration left_of_timer(const std::string& info) {
  // "it_value: (2, 499948000)"
  constexpr std::string_view kValue = "it_value: (";
  const std::size_t at = info.find(kValue);
  if (at == std::string::npos) return {};
  char* next = nullptr;
  const Duration seconds =
      std::chrono::seconds(std::strtoll(info.c_str() + at + kValue.size(), &next, 10));
  return *next == ',' ? seconds + Duration(std::strtoll(next + 1, nullptr, 10)) : seconds;
}

Duration unless_far(Duration limit) { return limit < kFarLimit ? limit : Duration(0); }

// The longest one at the descriptor. A set may hold other sets.
Duration left_of_timers(pid_t pid, int number) {
  const std::string name = std::to_string(number);
  const std::string file = file_of(pid, name);
  if (file == kTimer) return left_of_timer(info_of(pid, name));
  Duration longest{};
  if (file != kPolls) return longest;
  for (const Watched& watched : watched_by(info_of(pid, name))) {
    // Else another file has the number, perhaps the set itself.
    if (!is_still_there(pid, number, watched)) continue;
    longest = std::max(longest, left_of_timers(pid, watched.number));
  }
  return longest;
}

bool is_socket(pid_t pid, int number) {
  return file_of(pid, std::to_string(number)).starts_with("socket:");
}

}  // namespace

bool is_disarmed(const std::string& info) {
  return info.find("it_value: (0, 0)") != std::string::npos;
}

Duration longest_receive(pid_t pid, int number) {
  return is_socket(pid, number) ? unless_far(limit_to_receive(pid, number))
                                : longest_poll(pid, number);
}

Duration longest_send(pid_t pid, int number) {
  return is_socket(pid, number) ? unless_far(limit_to_send(pid, number)) : Duration(0);
}

Duration longest_poll(pid_t pid, int number) { return unless_far(left_of_timers(pid, number)); }

}  // namespace gridlock::run
