// Questions to all, answers of all.
#include "harness/agents/leader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/agents/delta.h"
#include "harness/run/error.h"
#include "harness/run/port.h"

namespace gridlock::agents {
namespace {

constexpr int kFirstTrips = 16;
constexpr int kLaterTrips = 4;
// In between, clocks drift by less than they are known.
constexpr run::Duration kAlignInterval = 5s;

Writer question(Request request) {
  Writer writer;
  writer(request);
  return writer;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

Leader::Leader(const Greeting& own, std::vector<Listener::Guest> guests,
               const run::Installation& installation)
    : own_(own), installation_(installation), address_("127.0.0.1") {
  std::vector<Channel*> channels;
  for (Listener::Guest& guest : guests) {
    const Greeting& greeting = guest.greeting;
    if (greeting.version != own_.version) {
      throw run::MachineError(fmt::format(
          "agent {} on {} is gridlock {}, and agent 0 on {} is {}; install the same on all hosts",
          greeting.index, greeting.host, greeting.version, own_.host, own_.version));
    }
    // One that only agents of this host use is no place for all to meet.
    if (is_loopback(address_)) address_ = guest.address;
    Fellow& fellow = fellows_.emplace_back();
    fellow.index = greeting.index;
    fellow.greeting = greeting;
    fellow.channel = std::move(guest.channel);
    channels.push_back(fellow.channel.get());
  }
  beats_ = std::make_unique<Beats>(std::move(channels));
  for (Fellow& fellow : fellows_) align(fellow, kFirstTrips);
  aligned_ns_ = run::now_ns();
}

Leader::~Leader() {
  // What the session has found is this agent's exit code alone; that it broke off is everybody's.
  constexpr int kNothingConcluded = 3;
  Writer writer = question(Request::end);
  writer(lost_.empty() ? 0 : kNothingConcluded);
  send_all(writer);
}

std::vector<run::Fellows::Agent> Leader::agents() const {
  std::vector<Agent> agents{{.host = own_.host, .ranks = own_share_.ranks}};
  for (const Fellow& fellow : fellows_) {
    agents.push_back({.host = fellow.greeting.host, .ranks = fellow.share.ranks});
  }
  return agents;
}

run::Duration Leader::clock_error() const {
  std::int64_t most_ns = 0;
  for (const Fellow& fellow : fellows_) {
    most_ns = std::max(most_ns, fellow.clock.error_ns(run::now_ns()));
  }
  return run::Duration(most_ns);
}

void Leader::note_lost(Fellow& fellow) {
  if (!lost_.empty() || fellow.channel->lost().empty()) return;
  lost_ = fmt::format("agent {} on {} is lost: {}", fellow.index, fellow.greeting.host,
                      fellow.channel->lost());
}

void Leader::check() {
  for (Fellow& fellow : fellows_) {
    fellow.channel->check();
    note_lost(fellow);
  }
}

std::vector<int> Leader::lost_ranks() const {
  std::vector<int> ranks;
  for (const Fellow& fellow : fellows_) {
    if (fellow.channel->lost().empty()) continue;
    for (int rank = fellow.share.first; rank < fellow.share.end(); ++rank) ranks.push_back(rank);
  }
  return ranks;
}

void Leader::send(Fellow& fellow, const Writer& question) {
  fellow.asked_ns = run::now_ns();
  fellow.channel->send(question.bytes());
  note_lost(fellow);
}

void Leader::send_all(const Writer& question) {
  for (Fellow& fellow : fellows_) send(fellow, question);
}

void Leader::receive(Fellow& fellow, const Use& use) {
  const auto message = fellow.channel->wait();
  if (!message) return note_lost(fellow);
  const std::int64_t got_ns = run::now_ns();
  // An agent that cannot be understood is as good as lost, and not the end of the others.
  try {
    Reader reader(*message);
    AnswerHead head;
    visit_head(reader, head);
    fellow.clock.add({.asked_ns = fellow.asked_ns,
                      .heard_ns = head.heard_ns,
                      .answered_ns = head.answered_ns,
                      .got_ns = got_ns});
    fellow.fault = head.error;
    if (!head.error.empty()) return;
    use(fellow, reader);
    reader.end();
  } catch (const WireError& error) {
    fellow.channel->give_up(error.what());
    note_lost(fellow);
  }
}

void Leader::receive_all(const Use& use) {
  for (Fellow& fellow : fellows_) receive(fellow, use);
}

void Leader::align(Fellow& fellow, int times) {
  for (int i = 0; i < times; ++i) {
    send(fellow, question(Request::align));
    receive(fellow, [](Fellow&, Reader&) {});
  }
}

// NCCL must be told the same on all ranks: that they share GPUs, if those of any host do.
void Leader::share_gpus(run::Job& job, const std::vector<run::Share>& shares) {
  for (Fellow& fellow : fellows_) {
    if (fellow.gpus >= 0) continue;
    send(fellow, question(Request::gpus));
    receive(fellow, [](Fellow& of, Reader& reader) { reader(of.gpus); });
  }
  bool is_shared = job.gpus->count < shares.front().local_ranks;
  for (const Fellow& fellow : fellows_) {
    is_shared |= fellow.gpus < shares[static_cast<std::size_t>(fellow.index)].local_ranks;
    job.gpus->one_host &= fellow.greeting.machine == own_.machine;
  }
  job.gpus->count = is_shared ? 0 : run::kMaxRanks;
}

void Leader::start(run::Job& job) {
  if (job.by_program || job.by_mpiexec) {
    throw run::UsageError(
        "a launcher starts its ranks itself; start gridlock once, without mpiexec or srun");
  }
  std::vector<std::string> machines{own_.machine};
  for (const Fellow& fellow : fellows_) machines.push_back(fellow.greeting.machine);
  const std::vector<run::Share> shares = run::divide(job.ranks, job.split, machines);
  if (run::Duration(run::now_ns() - aligned_ns_) > kAlignInterval) {
    for (Fellow& fellow : fellows_) align(fellow, kLaterTrips);
    aligned_ns_ = run::now_ns();
  }
  if (job.gpus) share_gpus(job, shares);
  job.master_address = address_;
  if (job.master_port == 0) job.master_port = run::free_ports(1).front();
  const bool several = std::set(machines.begin(), machines.end()).size() > 1;
  // Ranks on one machine may be told that they are on several hosts (by network namespaces), which
  // then have a device of each number.
  const auto with_host = [&](run::Job part, const std::string& machine) {
    if (several) part.environment.push_back("NCCL_HOSTID=" + machine);
    return part;
  };
  const std::string root = installation_.root.string() + "/";
  for (Fellow& fellow : fellows_) {
    run::Job part = with_host(job, fellow.greeting.machine);
    fellow.share = shares[static_cast<std::size_t>(fellow.index)];
    fellow.applied_ns = fellow.clock.to_here_ns();
    part.share = fellow.share;
    const bool is_ours = part.command.front().starts_with(root);
    if (is_ours) part.command.front().erase(0, root.size());
    Writer writer = question(Request::start);
    visit_job(writer, part);
    writer(is_ours);
    send(fellow, writer);
  }
  job = with_host(std::move(job), own_.machine);
  job.share = own_share_ = shares.front();
}

std::string Leader::started() {
  receive_all([](Fellow&, Reader&) {});
  for (const Fellow& fellow : fellows_) {
    if (!fellow.fault.empty()) {
      return fmt::format("agent {} on {}: {}", fellow.index, fellow.greeting.host, fellow.fault);
    }
  }
  return {};
}

void Leader::ask(run::Depth depth, const detect::Ledger& ledger) {
  for (Fellow& fellow : fellows_) {
    std::vector<std::uint64_t> next;
    for (int rank = fellow.share.first; rank < fellow.share.end(); ++rank) {
      next.push_back(ledger.next_index(rank));
    }
    Writer writer = question(Request::look);
    writer(depth, next);
    send(fellow, writer);
  }
}

std::span<record::Snapshot> Leader::of(const Fellow& fellow,
                                       std::span<record::Snapshot> all) const {
  return all.subspan(static_cast<std::size_t>(fellow.share.first),
                     static_cast<std::size_t>(fellow.share.ranks));
}

run::Fellows::Looked Leader::take(std::span<record::Snapshot> snapshots) {
  Looked looked;
  receive_all([&](Fellow& fellow, Reader& reader) {
    const std::span<record::Snapshot> own = of(fellow, snapshots);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i].rank = fellow.share.first + static_cast<int>(i);
    }
    // A clock that is known better now holds for what is there already, too.
    const std::int64_t to_here_ns = fellow.clock.to_here_ns();
    if (to_here_ns != fellow.applied_ns) {
      for (record::Snapshot& snapshot : own) shift_times(snapshot, to_here_ns - fellow.applied_ns);
      fellow.applied_ns = to_here_ns;
    }
    bool all_ended = false;
    run::Duration cost{};
    reader(all_ended, cost);
    reader.set_offset(to_here_ns);
    read_delta(reader, own);
    looked.all_ended &= all_ended;
    looked.cost = std::max(looked.cost, cost);
  });
  looked.all_ended &= lost_.empty();
  return looked;
}

void Leader::read_modules(std::span<record::Snapshot> snapshots) {
  send_all(question(Request::modules));
  receive_all([&](Fellow& fellow, Reader& reader) {
    std::string root;
    reader(root);
    for (record::Snapshot& snapshot : of(fellow, snapshots)) {
      reader.list(snapshot.modules, [](auto& from, auto& module) { visit_module(from, module); });
      for (record::Module& module : snapshot.modules) {
        if (!module.path.starts_with(root)) continue;
        module.path = (installation_.root / module.path.substr(root.size())).string();
      }
    }
  });
}

void Leader::add_times_in_queue(run::TimesInQueue& times) {
  send_all(question(Request::queue));
  receive_all([&](Fellow& fellow, Reader& reader) {
    std::map<std::int64_t, run::Duration> of_fellow;
    reader(of_fellow);
    for (const auto& [thread, time] : of_fellow) {
      times[thread | std::int64_t{fellow.index} << 32U] = time;
    }
  });
}

void Leader::add_loads(run::GpuFigures& figures, std::size_t ranks) {
  send_all(question(Request::loads));
  receive_all([&](Fellow&, Reader& reader) {
    run::GpuFigures of_fellow;
    reader(of_fellow);
    for (const auto& [name, values] : of_fellow) {
      std::vector<double>& into = figures[name];
      into.insert(into.end(), values.begin(), values.end());
    }
  });
  std::erase_if(figures, [&](const auto& figure) { return figure.second.size() != ranks; });
}

void Leader::collect(std::span<run::RankEnd> ranks) {
  send_all(question(Request::ends));
  receive_all([&](Fellow& fellow, Reader& reader) {
    std::vector<run::RankEnd> ends;
    reader.list(ends, [](auto& from, auto& end) { visit_end(from, end); });
    if (ends.size() != static_cast<std::size_t>(fellow.share.ranks)) {
      throw WireError("a message is of other ranks");
    }
    std::move(ends.begin(), ends.end(),
              ranks.begin() + static_cast<std::ptrdiff_t>(fellow.share.first));
  });
}

void Leader::kill() { send_all(question(Request::kill)); }

std::size_t Leader::killed() {
  std::uint64_t all = 0;
  receive_all([&](Fellow&, Reader& reader) {
    std::uint64_t left = 0;
    reader(left);
    all += left;
  });
  return all;
}

std::string Leader::box(int rank) {
  std::string box;
  for (Fellow& fellow : fellows_) {
    if (rank < fellow.share.first || rank >= fellow.share.end()) continue;
    Writer writer = question(Request::box);
    writer(rank);
    send(fellow, writer);
    receive(fellow, [&](Fellow&, Reader& reader) { reader(box); });
  }
  return box;
}

}  // namespace gridlock::agents
