// Asks the followers questions, and reads their answers.
#include "harness/agents/leader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/agents/delta.h"
#include "harness/base/error.h"
#include "harness/base/port.h"
#include "harness/run/start/gpu_share.h"

namespace gridlock::agents {
namespace {

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// The address where all ranks meet. An address that only agents of this host use is the last
// choice.
std::string meeting_place(const std::vector<Listener::Guest>& guests) {
  const auto found = std::find_if(guests.begin(), guests.end(), [](const Listener::Guest& guest) {
    return !is_loopback(guest.address);
  });
  return found == guests.end() ? "127.0.0.1" : found->address;
}

std::vector<Listener::Guest> of_one_version(const Greeting& own,
                                            std::vector<Listener::Guest> guests) {
  for (const Listener::Guest& guest : guests) {
    const Greeting& greeting = guest.greeting;
    if (greeting.version != own.version) {
      throw MachineError(
          fmt::format("agent {} on {} is gridlock {}, and agent 0 on {} is {}; install the same "
                      "build on all hosts",
                      greeting.index, greeting.host, greeting.version, own.host, own.version));
    }
  }
  return guests;
}

}  // namespace

Leader::Leader(const Greeting& own, std::vector<Listener::Guest> guests,
               const catalogue::Installation& installation)
    : own_(own),
      installation_(installation),
      address_(meeting_place(guests)),
      exchange_(of_one_version(own, std::move(guests))) {}

Leader::~Leader() {
  // Only this agent's exit code says what the session found. Any agent's says whether the session
  // broke off.
  constexpr int kNothingConcluded = 3;
  Writer writer = question(Request::end);
  writer(lost().empty() ? 0 : kNothingConcluded);
  exchange_.send_all(writer);
}

std::vector<run::Fellows::Agent> Leader::agents() const {
  std::vector<Agent> agents{{.host = own_.host, .share = own_share_}};
  for (const Fellow& fellow : exchange_.fellows()) {
    agents.push_back({.host = fellow.greeting.host, .share = fellow.share});
  }
  return agents;
}

std::vector<int> Leader::lost_ranks() const {
  std::vector<int> ranks;
  for (const Fellow& fellow : exchange_.fellows()) {
    if (fellow.channel->lost().empty()) continue;
    for (int rank = fellow.share.first; rank < fellow.share.end(); ++rank) ranks.push_back(rank);
  }
  return ranks;
}

const std::vector<catalogue::Gpus>& Leader::gpus() {
  if (!gpus_.empty()) return gpus_;
  exchange_.send_all(question(Request::gpus));
  gpus_.push_back(catalogue::find_gpus(installation_));
  gpus_.resize(exchange_.fellows().size() + 1);
  exchange_.receive_all([&](Fellow& fellow, Reader& reader) {
    catalogue::Gpus& gpus = gpus_[static_cast<std::size_t>(fellow.index)];
    visit_gpus(reader, gpus);
    if (!gpus.fault.empty()) gpus.fault = fmt::format("{}: {}", fellow.name(), gpus.fault);
  });
  return gpus_;
}

void Leader::start_on(Fellow& fellow, run::Job part) {
  fellow.applied_ns = fellow.clock.to_here_ns();
  part.share = fellow.share;
  const std::string root = installation_.root.string() + "/";
  const bool is_ours = part.command.front().starts_with(root);
  if (is_ours) part.command.front().erase(0, root.size());
  Writer writer = question(Request::start);
  visit_job(writer, part);
  writer(is_ours);
  exchange_.send(fellow, writer);
}

void Leader::start(run::Job& job) {
  if (job.by_program || job.by_mpiexec) {
    throw UsageError(
        "a launcher starts its ranks itself; start gridlock once, without mpiexec or srun");
  }
  std::vector<std::string> machines{own_.machine};
  for (const Fellow& fellow : exchange_.fellows()) machines.push_back(fellow.greeting.machine);
  const bool several = std::set(machines.begin(), machines.end()).size() > 1;
  if (job.gpus && job.split.empty()) job.split = run::split_by_gpus(job.ranks, gpus());
  const std::vector<run::Share> shares = run::divide(job.ranks, job.split, machines);
  if (job.gpus) {
    // NCCL needs the same settings on all ranks: if ranks share a GPU on any host, all ranks get
    // the settings for it.
    job.gpus->count = run::meet_on_a_gpu(shares, gpus()) ? 0 : kMaxRanks;
    job.gpus->one_host = !several;
  }
  exchange_.align();
  job.master_address = address_;
  if (job.master_port == 0) job.master_port = free_ports(1).front();
  // Network namespaces can make one machine look like several hosts to its ranks. Each of those
  // hosts then has a device with each number.
  const auto with_host = [&](run::Job part, const std::string& machine) {
    if (several) part.environment.push_back("NCCL_HOSTID=" + machine);
    return part;
  };
  for (Fellow& fellow : exchange_.fellows()) {
    fellow.share = shares[static_cast<std::size_t>(fellow.index)];
    start_on(fellow, with_host(job, fellow.greeting.machine));
  }
  job = with_host(std::move(job), own_.machine);
  job.share = own_share_ = shares.front();
}

std::string Leader::started() {
  exchange_.receive_all([](Fellow&, Reader&) {});
  for (const Fellow& fellow : exchange_.fellows()) {
    if (!fellow.fault.empty()) return fmt::format("{}: {}", fellow.name(), fellow.fault);
  }
  return {};
}

void Leader::ask(run::Depth depth, const detect::Ledger& ledger) {
  for (Fellow& fellow : exchange_.fellows()) {
    std::vector<std::uint64_t> next;
    for (int rank = fellow.share.first; rank < fellow.share.end(); ++rank) {
      next.push_back(ledger.next_index(rank));
    }
    Writer writer = question(Request::look);
    writer(depth, next);
    exchange_.send(fellow, writer);
  }
}

std::span<record::Snapshot> Leader::of(const Fellow& fellow,
                                       std::span<record::Snapshot> all) const {
  return all.subspan(static_cast<std::size_t>(fellow.share.first),
                     static_cast<std::size_t>(fellow.share.ranks));
}

run::Fellows::Looked Leader::take(std::span<record::Snapshot> snapshots) {
  Looked looked;
  exchange_.receive_all([&](Fellow& fellow, Reader& reader) {
    const std::span<record::Snapshot> own = of(fellow, snapshots);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i].rank = fellow.share.first + static_cast<int>(i);
    }
    // A better measurement of the clock also corrects the snapshots that are here already.
    const std::int64_t to_here_ns = fellow.clock.to_here_ns();
    if (to_here_ns != fellow.applied_ns) {
      for (record::Snapshot& snapshot : own) shift_times(snapshot, to_here_ns - fellow.applied_ns);
      fellow.applied_ns = to_here_ns;
    }
    bool all_ended = false;
    Duration cost{};
    reader(all_ended, cost);
    reader.set_offset(to_here_ns);
    read_delta(reader, own);
    looked.all_ended &= all_ended;
    looked.cost = std::max(looked.cost, cost);
  });
  looked.all_ended &= lost().empty();
  return looked;
}

void Leader::read_modules(std::span<record::Snapshot> snapshots) {
  exchange_.ask_all(Request::modules, [&](Fellow& fellow, Reader& reader) {
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

void Leader::add_hindrances(run::Hindrances& all) {
  exchange_.ask_all(Request::hindrances, [&](Fellow& fellow, Reader& reader) {
    std::vector<std::pair<std::int64_t, run::Hindrance>> of_fellow;
    reader.list(of_fellow, [](auto& from, auto& thread) { visit_hindrance(from, thread); });
    for (const auto& [thread, hindrance] : of_fellow) {
      all[thread | std::int64_t{fellow.index} << 32U] = hindrance;
    }
  });
}

void Leader::add_loads(run::GpuFigures& figures, std::size_t ranks) {
  exchange_.ask_all(Request::loads, [&](Fellow&, Reader& reader) {
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
  exchange_.ask_all(Request::ends, [&](Fellow& fellow, Reader& reader) {
    std::vector<run::RankEnd> ends;
    reader.list(ends, [](auto& from, auto& end) { visit_end(from, end); });
    if (ends.size() != static_cast<std::size_t>(fellow.share.ranks)) {
      throw WireError("a message is of other ranks");
    }
    std::move(ends.begin(), ends.end(),
              ranks.begin() + static_cast<std::ptrdiff_t>(fellow.share.first));
  });
}

void Leader::kill() { exchange_.send_all(question(Request::kill)); }

std::size_t Leader::killed() {
  std::uint64_t all = 0;
  exchange_.receive_all([&](Fellow&, Reader& reader) {
    std::uint64_t left = 0;
    reader(left);
    all += left;
  });
  return all;
}

void Leader::call_off() {
  exchange_.take_due();
  kill();
  killed();
}

void Leader::begin_delays(std::uint64_t seed) {
  const auto agents = static_cast<int>(exchange_.fellows().size()) + 1;
  for (Fellow& fellow : exchange_.fellows()) {
    Writer writer = question(Request::delays);
    writer(seed + static_cast<std::uint64_t>(fellow.index), agents);
    exchange_.send(fellow, writer);
  }
  exchange_.receive_all([](Fellow&, Reader&) {});
}

run::Delayed Leader::end_delays() {
  run::Delayed all;
  exchange_.ask_all(Request::delays_end, [&](Fellow&, Reader& reader) {
    run::Delayed of_fellow;
    reader(of_fellow.count, of_fellow.total);
    all.count += of_fellow.count;
    all.total += of_fellow.total;
  });
  return all;
}

std::string Leader::box(int rank) {
  std::string box;
  for (Fellow& fellow : exchange_.fellows()) {
    if (rank < fellow.share.first || rank >= fellow.share.end()) continue;
    Writer writer = question(Request::box);
    writer(rank);
    exchange_.send(fellow, writer);
    exchange_.receive(fellow, [&](Fellow&, Reader& reader) { reader(box); });
  }
  return box;
}

}  // namespace gridlock::agents
