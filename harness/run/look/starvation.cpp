// Reads of /proc/<pid>/task/<tid>: schedstat (time on a core, time ready without one, turns; in ns)
// and stat (its third field is the state, its twelfth the page-ins).
#include "harness/run/look/starvation.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/directory.h"
#include "harness/base/file_descriptor.h"
#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

using Text = std::array<char, 256>;  // the fields we need come first

// Empty if there is no such file, or no longer.
Text beginning_of(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Text text{};
  if (file.is_open() && read(file.get(), text.data(), text.size() - 1) < 0) text = {};
  return text;
}

Hindrance hindrance_of(const std::string& task) {
  Hindrance hindrance;
  const Text times = beginning_of(task + "/schedstat");
  char* next = nullptr;
  hindrance.on_core = Duration(std::strtoll(times.data(), &next, 10));
  hindrance.in_queue = Duration(std::strtoll(next, nullptr, 10));

  const Text stat = beginning_of(task + "/stat");
  const std::string_view fields(stat.data());
  const auto name_end = fields.rfind(')');  // a name may contain anything
  if (name_end == std::string_view::npos || name_end + 2 >= fields.size()) return hindrance;
  hindrance.ready = fields[name_end + 2] == 'R';
  hindrance.held = fields[name_end + 2] == 'D';
  // Skips ppid, pgrp, session, tty, tpgid, flags, minor faults and children's minor faults.
  constexpr int kBefore = 8;
  const char* at = stat.data() + name_end + 3;
  for (int field = 0; field < kBefore; ++field) {
    std::strtoll(at, &next, 10);
    at = next;
  }
  hindrance.page_ins = std::strtoull(at, nullptr, 10);
  return hindrance;
}

void add_threads(pid_t pid, bool helper, Hindrances& all) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const Directory directory = open_directory(tasks);
  if (!directory) return;  // it has just ended
  while (const dirent* found = readdir(directory.get())) {
    if (found->d_name[0] == '.') continue;
    Hindrance& thread = all[std::strtoll(found->d_name, nullptr, 10)];
    thread = hindrance_of(fmt::format("{}/{}", tasks, found->d_name));
    thread.helper = helper;
  }
}

// How much silence to let pass before the first look.
Duration quiet_before(Duration limit) { return std::min(kQuietBound, limit / 4); }

}  // namespace

Hindrances hindrances(std::span<const record::Snapshot> snapshots) {
  Hindrances all;
  for (const record::Snapshot& snapshot : snapshots) {
    if (snapshot.pid == 0 || snapshot.process != record::ProcessState::alive) continue;
    for (const pid_t helper : processes::descendants(static_cast<pid_t>(snapshot.pid))) {
      add_threads(helper, true, all);
    }
  }
  // If one rank started another, that one is no helper.
  for (const record::Snapshot& snapshot : snapshots) {
    if (snapshot.pid == 0 || snapshot.process != record::ProcessState::alive) continue;
    add_threads(static_cast<pid_t>(snapshot.pid), false, all);
  }
  return all;
}

Duration time_in_queue(const Hindrances& before, const Hindrances& after, Duration between,
                       Duration enough) {
  Duration waited{};
  for (const auto& [tid, now] : after) {
    const auto known = before.find(tid);
    const Hindrance then = known == before.end() ? Hindrance{} : known->second;
    if (now.on_core - then.on_core >= enough) continue;
    // The kernel adds a wait to the sum only when it ends. It does not say since when this one
    // lasts, so take all the time.
    const bool waits_on = now.ready && now.on_core != Duration(0) && now.on_core == then.on_core;
    waited += waits_on ? between : now.in_queue - then.in_queue;
  }
  return waited;
}

bool waited_for_disk(const Hindrances& before, const Hindrances& after) {
  return std::ranges::any_of(after, [&](const auto& thread) {
    const auto& [tid, now] = thread;
    const auto known = before.find(tid);
    return now.held || now.page_ins > (known == before.end() ? 0 : known->second.page_ins);
  });
}

bool helpers_worked(const Hindrances& before, const Hindrances& after, Duration between) {
  // What only looks from time to time, such as a monitor, needs far less.
  constexpr int kGoodPart = 16;
  Duration worked{};
  for (const auto& [tid, now] : after) {
    if (!now.helper) continue;
    const auto known = before.find(tid);
    const Hindrance then = known == before.end() ? Hindrance{} : known->second;
    if (known == before.end() && now.ready) return true;
    worked += now.on_core - then.on_core + now.in_queue - then.in_queue;
  }
  return worked > between / kGoodPart;
}

Silence SilenceMeter::measure(std::int64_t since_ns, std::int64_t now_ns, Duration limit,
                              const std::function<Hindrances()>& look) {
  if (since_ns != since_ns_) {
    since_ns_ = since_ns;
    has_begun_ = false;
    starved_ = until_before_ = {};
  }
  const Silence silence{.wall = Duration(now_ns - since_ns), .starved = starved_};
  const Duration quiet = quiet_before(limit);
  if (silence.wall < quiet) return silence;
  if (!has_begun_) {
    before_ = look();
    before_at_ = silence.wall;
    has_begun_ = true;
    if (silence.wall > 2 * quiet) starved_ = until_before_ = silence.wall - quiet;
  } else if (idle(silence) > limit) {
    // Only now can a look change the answer.
    Hindrances now = look();
    const Duration between = silence.wall - before_at_;
    starved_ = until_before_ + time_in_queue(before_, now, between, limit);
    if (waited_for_disk(before_, now) || helpers_worked(before_, now, between)) {
      // How long a rank waited for it is unknown, so the job gets its whole limit again.
      starved_ = until_before_ = silence.wall;
      before_ = std::move(now);
      before_at_ = silence.wall;
    }
  }
  return {.wall = silence.wall, .starved = starved_};
}

Duration SilenceMeter::left(const Silence& measured, Duration limit) const {
  return has_begun_ ? limit - idle(measured) : quiet_before(limit) - measured.wall;
}

}  // namespace gridlock::run
