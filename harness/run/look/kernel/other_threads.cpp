// Reads /proc/<pid>/task.
#include "harness/run/look/kernel/other_threads.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <tuple>

#include "harness/base/directory.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

namespace {

// Before its time comes. Its own process needs no mention.
auto who_may_wake(const record::Sleeper& one) {
  const record::Sleep& sleep = one.sleep;
  std::vector<record::ProcessKey> others = sleep.wakers;
  std::erase(others, one.process);
  return std::tuple(others, sleep.only_by_clock, sleep.listens, sleep.has_name, sleep.by_anybody);
}

}  // namespace

std::vector<std::int64_t> threads_of(std::int64_t pid) {
  constexpr std::int64_t kUnknown = -1;
  std::vector<std::int64_t> tids;
  const Directory directory = open_directory(fmt::format("/proc/{}/task", pid));
  if (!directory && !means_gone(errno)) return {kUnknown};
  while (const dirent* found = directory ? readdir(directory.get()) : nullptr) {
    if (found->d_name[0] != '.') tids.push_back(std::strtoll(found->d_name, nullptr, 10));
  }
  return tids;
}

bool all_sleep_by_the_clock(std::span<const record::Sleeper> acting) {
  return std::ranges::all_of(acting, [](const record::Sleeper& one) { return one.sleep.by_clock; });
}

std::vector<record::Sleeper> those_that_count(std::vector<record::Sleeper> acting) {
  const auto limit = [](const record::Sleeper& one) { return one.sleep.limit_ns; };
  std::vector<record::Sleeper> told{*std::ranges::max_element(acting, {}, limit)};
  const auto other = std::ranges::find_if_not(
      acting, [](const record::Sleeper& one) { return one.sleep.by_clock; });
  if (other != acting.end()) {
    if (told.front().sleep.by_clock) told.push_back(*other);
    const auto hidden = std::ranges::find_if(
        acting, [](const record::Sleeper& one) { return one.sleep.has_hidden_limit; });
    if (hidden != acting.end()) told.push_back(*hidden);
    return told;
  }
  for (const record::Sleeper& one : acting) {
    const auto is_alike = [&](const record::Sleeper& known) {
      return who_may_wake(known) == who_may_wake(one);
    };
    if (std::ranges::none_of(told, is_alike)) told.push_back(one);
  }
  return told;
}

}  // namespace gridlock::run
