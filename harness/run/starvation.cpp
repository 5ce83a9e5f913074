// Reads /proc/<pid>/task/<tid>/schedstat: time on a core, time ready without one, turns; in ns.
#include "harness/run/starvation.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "harness/run/file_descriptor.h"

namespace gridlock::run {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

Duration time_in_queue(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  if (!file.is_open() || read(file.get(), text.data(), text.size() - 1) <= 0) return {};
  char* next = nullptr;
  std::strtoull(text.data(), &next, 10);  // on a core
  return Duration(std::strtoll(next, nullptr, 10));
}

}  // namespace

TimesInQueue times_in_queue(std::span<const record::Snapshot> snapshots) {
  TimesInQueue times;
  for (const record::Snapshot& snapshot : snapshots) {
    if (snapshot.pid == 0 || snapshot.process != record::ProcessState::alive) continue;
    const std::string tasks = fmt::format("/proc/{}/task", snapshot.pid);
    const std::unique_ptr<DIR, CloseDirectory> directory(opendir(tasks.c_str()));
    if (!directory) continue;  // it has just ended
    while (const dirent* found = readdir(directory.get())) {
      if (found->d_name[0] == '.') continue;
      times[std::strtoll(found->d_name, nullptr, 10)] =
          time_in_queue(fmt::format("{}/{}/schedstat", tasks, found->d_name));
    }
  }
  return times;
}

Duration time_waited(const TimesInQueue& before, const TimesInQueue& after) {
  Duration waited{};
  for (const auto& [tid, time] : after) {
    const auto known = before.find(tid);
    waited += known == before.end() ? time : time - known->second;
  }
  return waited;
}

Silence SilenceMeter::measure(std::int64_t since_ns, std::int64_t now_ns, Duration limit,
                              const std::function<TimesInQueue()>& times_now) {
  if (since_ns != since_ns_) {
    since_ns_ = since_ns;
    has_begun_ = false;
    starved_ = {};
  }
  const Silence silence{.wall = Duration(now_ns - since_ns), .starved = starved_};
  if (silence.wall < kQuietBound) return silence;
  if (!has_begun_) {
    before_ = times_now();
    has_begun_ = true;
  } else if (idle(silence) > limit) {
    // What they waited only grows: before this, no look could have changed the answer.
    starved_ = time_waited(before_, times_now());
  }
  return {.wall = silence.wall, .starved = starved_};
}

}  // namespace gridlock::run
