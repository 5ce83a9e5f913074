// Waits with one poll on all pipes and process descriptors.
#include "harness/run/start/ranks.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "harness/base/port.h"
#include "harness/processes/mpiexec.h"
#include "harness/run/start/rank_environment.h"

namespace gridlock::run {
namespace {

timespec as_timespec(Duration duration) {
  const auto count = std::max<std::int64_t>(duration.count(), 0);
  return {.tv_sec = count / 1'000'000'000, .tv_nsec = count % 1'000'000'000};
}

}  // namespace

Ranks::Ranks(const Job& job, const catalogue::Installation& installation, const Boxes& boxes)
    : pass_output_(job.pass_output), before_output_(job.before_output) {
  // A single process's output is the job's, so it gets no rank prefix.
  const bool is_alone = job.by_program || job.by_mpiexec || job.ranks == 1;
  const std::vector<int> ports = free_ports(ports_needed(job));
  const int processes = job.by_program || job.by_mpiexec ? 1 : own_share(job).ranks;
  processes_.reserve(static_cast<std::size_t>(processes));
  if (job.simulated_hosts > 1) hosts_.emplace(job.simulated_hosts);
  try {
    for (int rank = 0; rank < processes; ++rank) {
      Pipe report = make_pipe();
      processes::Launch launch;
      launch.command = job.command;
      launch.group = group_;
      launch.report = report.write.get();
      if (hosts_) launch.spaces = hosts_->spaces(place_of(job, rank).host);
      if (job.by_mpiexec) {
        report_files_.emplace(job.ranks);
        std::vector<std::vector<std::string>> environments;
        for (int each = 0; each < job.ranks; ++each) {
          environments.push_back(rank_environment(job, installation, boxes, ports, each));
          environments.back().push_back("GRIDLOCK_REPORT=" + report_files_->path(each));
        }
        launch.command = processes::under_mpiexec(job.command, environments);
      } else {
        launch.environment =
            rank_environment(job, installation, boxes, ports, job.by_program ? -1 : rank);
        launch.environment.push_back(fmt::format("GRIDLOCK_REPORT_FD={}", processes::kReportFd));
      }
      Watched& watched = processes_.emplace_back();
      watched.report_pipe = std::move(report.read);
      watched.lines = processes::ShownLines(is_alone ? -1 : own_share(job).first + rank);
      watched.process = processes::start(launch);
      if (group_ == 0) group_ = watched.process.pid;
    }
  } catch (...) {
    // Clean up here, because no object owns the ranks yet.
    kill_all();
    throw;
  }
}

Ranks::~Ranks() {
  if (!all_ended()) kill_all();
}

std::vector<pid_t> Ranks::pids() const {
  std::vector<pid_t> all;
  for (std::size_t i = 0; i < size(); ++i) all.push_back(pid(i));
  return all;
}

bool Ranks::all_ended() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](const Watched& watched) { return watched.ending.has_value(); });
}

void Ranks::wait(Duration timeout, std::span<const int> others) {
  std::vector<pollfd> polled;
  for (const Watched& watched : processes_) {
    // poll ignores a negative descriptor.
    const int handle = watched.ending ? -1 : watched.process.handle.get();
    polled.push_back({.fd = handle, .events = POLLIN, .revents = 0});
    polled.push_back({.fd = watched.process.output.get(), .events = POLLIN, .revents = 0});
    polled.push_back({.fd = watched.report_pipe.get(), .events = POLLIN, .revents = 0});
  }
  for (const int other : others) polled.push_back({.fd = other, .events = POLLIN, .revents = 0});
  const timespec limit = as_timespec(timeout);
  if (ppoll(polled.data(), polled.size(), &limit, nullptr) <= 0) return;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (polled[3 * i + 1].revents != 0) read_output(i);
    if (polled[3 * i + 2].revents != 0) read_report(processes_[i]);
    if (polled[3 * i].revents != 0)
      processes_[i].ending = processes::reap(processes_[i].process.pid);
  }
}

void Ranks::read_output(std::size_t index) {
  Watched& watched = processes_[index];
  std::string text;
  if (!processes::drain(watched.process.output.get(), text)) watched.process.output.close();
  watched.output.append(text);
  if (!pass_output_) return;
  show(watched.lines.add(text));
  if (!watched.process.output.is_open()) show(watched.lines.rest());
}

void Ranks::show(const std::string& lines) const {
  if (lines.empty()) return;
  if (before_output_) before_output_();
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  std::fflush(stdout);
}

void Ranks::read_report(Watched& watched) {
  if (!processes::drain(watched.report_pipe.get(), watched.report)) watched.report_pipe.close();
  if (watched.report.size() > kReportBound) watched.report_pipe.close();
}

std::vector<std::string> Ranks::reports_under_mpiexec() const {
  std::vector<std::string> reports;
  for (int rank = 0; report_files_ && rank < report_files_->count(); ++rank) {
    reports.push_back(report_files_->text(rank));
  }
  return reports;
}

void Ranks::drain_rest() {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].process.output.is_open()) read_output(i);
    if (pass_output_) show(processes_[i].lines.rest());
    if (processes_[i].report_pipe.is_open()) read_report(processes_[i]);
  }
}

std::size_t Ranks::kill_all() {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + kReapLimit;
  // Kill all at once, the group and what left it: a process that the kernel holds must not use up
  // the time that the others need to end.
  if (group_ > 0 && !all_ended()) {
    kill(-group_, SIGKILL);
    for (const pid_t pid : processes::descendants(getpid())) kill(pid, SIGKILL);
  }
  for (Watched& watched : processes_) {
    if (watched.ending || watched.process.pid == 0) continue;
    if (processes::wait_for_end(watched.process.handle, deadline)) {
      watched.ending = processes::reap(watched.process.pid);
    }
  }
  const std::size_t left = processes::kill_descendants(deadline - Clock::now()).size();
  drain_rest();
  return left;
}

}  // namespace gridlock::run
