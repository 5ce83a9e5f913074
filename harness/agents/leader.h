// Agent 0, through which the run loop sees the session's other agents.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/agents/exchange.h"
#include "harness/catalogue/installation.h"
#include "harness/run/fellows.h"

namespace gridlock::agents {

class Leader final : public run::Fellows {
 public:
  // `own`: this agent; `guests`: the others, by their index from 1 on.
  //   Errors   MachineError if another agent has another version
  Leader(const Greeting& own, std::vector<Listener::Guest> guests,
         const catalogue::Installation& installation);
  // Ends the session of the others.
  ~Leader() override;

  std::vector<Agent> agents() const override;
  const std::vector<catalogue::Gpus>& gpus() override;
  Duration clock_error() const override { return exchange_.clock_error(); }
  std::string lost() const override { return exchange_.lost(); }
  void check() override { exchange_.check(); }
  std::vector<int> lost_ranks() const override;
  void start(run::Job& job) override;
  std::string started() override;
  void ask(run::Depth depth, const detect::Ledger& ledger) override;
  Looked take(std::span<record::Snapshot> snapshots) override;
  void read_modules(std::span<record::Snapshot> snapshots) override;
  void add_hindrances(run::Hindrances& all) override;
  void add_loads(run::GpuFigures& figures, std::size_t ranks) override;
  void collect(std::span<run::RankEnd> ranks) override;
  void kill() override;
  std::size_t killed() override;
  void call_off() override;
  void begin_delays(std::uint64_t seed) override;
  run::Delayed end_delays() override;
  std::string box(int rank) override;

 private:
  void start_on(Fellow& fellow, run::Job part);
  std::span<record::Snapshot> of(const Fellow& fellow, std::span<record::Snapshot> all) const;

  Greeting own_;
  const catalogue::Installation& installation_;
  std::string address_;  // where the others reach this agent
  Exchange exchange_;
  run::Share own_share_;
  std::vector<catalogue::Gpus> gpus_;  // by agent; empty: not known yet
};

}  // namespace gridlock::agents
