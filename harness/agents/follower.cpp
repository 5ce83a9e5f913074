// Answers the leader's questions, one by one.
#include "harness/agents/follower.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>

#include "harness/agents/snapshot_fields.h"
#include "harness/base/error.h"
#include "harness/catalogue/gpus.h"
#include "harness/run/look/starvation.h"
#include "harness/run/look/utilisation.h"

namespace gridlock::agents {

int Follower::run() {
  while (true) {
    wait();
    if (interrupts_.requested()) {
      throw MachineError(fmt::format("ended by {}; its ranks were killed", interrupts_.name()));
    }
    while (const auto message = leader_.receive()) {
      answer(*message);
      if (end_code_) return *end_code_;
    }
    if (!leader_.lost().empty()) {
      task_.reset();
      throw MachineError(
          fmt::format("agent 0 is lost: {}; the ranks of this agent were killed, and agent 0 has "
                      "the results of "
                      "finished runs",
                      leader_.lost()));
    }
  }
}

void Follower::wait() {
  const std::array others{leader_.descriptor(), interrupts_.descriptor()};
  if (task_) return task_->ranks.processes().wait(kBeat, others);
  std::array<pollfd, 2> polled{};
  for (std::size_t i = 0; i < polled.size(); ++i) {
    polled.at(i) = {.fd = others.at(i), .events = POLLIN, .revents = 0};
  }
  poll(polled.data(), polled.size(),
       static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(kBeat).count()));
}

void Follower::answer(std::string_view message) {
  AnswerHead head{.error = {}, .heard_ns = run::now_ns(), .answered_ns = 0};
  Reader reader(message);
  Writer content;
  Request request{};
  reader(request);
  // An error goes to the leader, which knows what follows from it.
  try {
    carry_out(request, reader, content);
  } catch (const WireError&) {
    throw;
  } catch (const MachineError& error) {
    head.error = error.what();
    content = Writer();
  }
  if (end_code_) return;
  head.answered_ns = run::now_ns();
  Writer writer;
  visit_head(writer, head);
  writer.raw(content.bytes());
  leader_.send(writer.bytes());
}

void Follower::carry_out(Request request, Reader& reader, Writer& writer) {
  switch (request) {
    case Request::align:
      return reader.end();
    case Request::gpus: {
      reader.end();
      const catalogue::Gpus gpus = catalogue::find_gpus(installation_);
      return visit_gpus(writer, gpus);
    }
    case Request::start:
      return start(reader);
    case Request::look:
      return look(reader, writer);
    case Request::modules:
      return write_modules(writer);
    case Request::hindrances: {
      const run::Hindrances all = run::hindrances(task().snapshots);
      const std::vector<std::pair<std::int64_t, run::Hindrance>> threads(all.begin(), all.end());
      return writer.list(threads, [](auto& to, auto& thread) { visit_hindrance(to, thread); });
    }
    case Request::loads:
      return write_loads(writer);
    case Request::ends:
      if (task().ranks.processes().all_ended()) task().ranks.processes().drain_rest();
      return writer.list(task().ranks.ends(), [](auto& to, auto& end) { visit_end(to, end); });
    case Request::kill:
      // A job that could not be started has no processes to kill.
      return writer(task_ ? std::uint64_t{task_->ranks.processes().kill_all()} : 0);
    case Request::box:
      return write_box(reader, writer);
    case Request::delays:
      return begin_delays(reader);
    case Request::delays_end:
      reader.end();
      return end_delays(writer);
    case Request::end:
      reader(end_code_.emplace());
      return;
  }
}

Follower::Task& Follower::task() {
  if (!task_) throw MachineError("there is no job");
  return *task_;
}

void Follower::start(Reader& reader) {
  task_.reset();
  run::Job job;
  bool is_ours = false;
  visit_job(reader, job);
  reader(is_ours);
  reader.end();
  if (job.command.empty() || !job.share || job.share->ranks < 0 || job.share->first < 0 ||
      job.share->ranks > kMaxRanks || job.share->end() > job.ranks) {
    throw WireError("agent 0 starts an impossible job");
  }
  // A program of Gridlock is taken from this agent's installation.
  if (is_ours) job.command.front() = (installation_.root / job.command.front()).string();
  task_.emplace(std::move(job), installation_);
}

void Follower::look(Reader& reader, Writer& writer) {
  const std::int64_t began_ns = run::now_ns();
  run::Depth depth{};
  std::vector<std::uint64_t> next;
  reader(depth, next);
  reader.end();
  Task& now = task();
  if (next.size() != now.snapshots.size()) throw WireError("agent 0 asks for other ranks");
  // Asked before the look, so that the look shows the ranks' last actions.
  const bool all_ended = now.ranks.processes().all_ended();
  const int first = own_share(now.job).first;
  now.ranks.look(
      now.snapshots, [&](int rank) { return next[static_cast<std::size_t>(rank - first)]; }, depth);
  Writer delta;
  now.delta.write(now.snapshots, delta);
  writer(all_ended, Duration(run::now_ns() - began_ns));
  writer.raw(delta.bytes());
}

void Follower::write_modules(Writer& writer) {
  Task& now = task();
  now.ranks.read_modules(now.snapshots);
  // Agent 0 has the installation's files too, under its own root.
  const std::string root = installation_.root.string() + "/";
  writer(root);
  for (const record::Snapshot& snapshot : now.snapshots) {
    writer.list(snapshot.modules, [](auto& to, auto& module) { visit_module(to, module); });
  }
}

void Follower::write_loads(Writer& writer) {
  std::vector<pid_t> pids;
  const run::Ranks& processes = task().ranks.processes();
  for (std::size_t i = 0; i < processes.size(); ++i) pids.push_back(processes.pid(i));
  writer(run::watch_utilisation(installation_, pids));
}

void Follower::write_box(Reader& reader, Writer& writer) {
  int rank = 0;
  reader(rank);
  reader.end();
  const run::Share own = own_share(task().job);
  if (rank < own.first || rank >= own.end()) throw WireError("agent 0 asks for another's box");
  const auto bytes = task().ranks.boxes()->bytes(rank - own.first);
  writer(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void Follower::begin_delays(Reader& reader) {
  std::uint64_t seed = 0;
  int agents = 0;
  reader(seed, agents);
  reader.end();
  if (agents < 2) throw WireError("agent 0 says that it is alone");
  delays_.reset();
  delays_.emplace(seed, agents);
}

void Follower::end_delays(Writer& writer) {
  const run::Delayed made = delays_ ? delays_->made() : run::Delayed();
  delays_.reset();
  writer(made.count, made.total);
}

}  // namespace gridlock::agents
