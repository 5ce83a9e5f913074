// Agent 0: the session's other agents as the run loop sees them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/agents/beats.h"
#include "harness/agents/channel.h"
#include "harness/agents/clock.h"
#include "harness/agents/connect.h"
#include "harness/agents/messages.h"
#include "harness/run/fellows.h"
#include "harness/run/installation.h"

namespace gridlock::agents {

class Leader : public run::Fellows {
 public:
  // `own`: this agent; `guests`: the others, by their index from 1 on.
  //   Errors   MachineError when another agent is of another version
  Leader(const Greeting& own, std::vector<Listener::Guest> guests,
         const run::Installation& installation);
  // Lets the others go home.
  ~Leader() override;

  std::vector<Agent> agents() const override;
  run::Duration clock_error() const override;
  std::string lost() const override { return lost_; }
  void check() override;
  std::vector<int> lost_ranks() const override;
  void start(run::Job& job) override;
  std::string started() override;
  void ask(run::Depth depth, const detect::Ledger& ledger) override;
  Looked take(std::span<record::Snapshot> snapshots) override;
  void read_modules(std::span<record::Snapshot> snapshots) override;
  void add_times_in_queue(run::TimesInQueue& times) override;
  void add_loads(run::GpuFigures& figures, std::size_t ranks) override;
  void collect(std::span<run::RankEnd> ranks) override;
  void kill() override;
  std::size_t killed() override;
  std::string box(int rank) override;

 private:
  struct Fellow {
    int index = 0;
    Greeting greeting;
    std::unique_ptr<Channel> channel;
    ClockAlignment clock;
    std::int64_t asked_ns = 0;
    run::Share share;             // of the last job
    std::int64_t applied_ns = 0;  // what the times of its snapshots were moved by
    int gpus = -1;                // not known yet
    std::string fault;            // why it did not do what it was asked last
  };
  using Use = std::function<void(Fellow& fellow, Reader& content)>;

  void send(Fellow& fellow, const Writer& question);
  void send_all(const Writer& question);
  // The answer's content goes to `use`, unless there is none.
  void receive(Fellow& fellow, const Use& use);
  void receive_all(const Use& use);
  void note_lost(Fellow& fellow);
  void align(Fellow& fellow, int times);
  void share_gpus(run::Job& job, const std::vector<run::Share>& shares);
  std::span<record::Snapshot> of(const Fellow& fellow, std::span<record::Snapshot> all) const;

  Greeting own_;
  const run::Installation& installation_;
  std::vector<Fellow> fellows_;
  std::string address_;  // where the others reach this agent
  run::Share own_share_;
  std::int64_t aligned_ns_ = 0;
  std::string lost_;
  std::unique_ptr<Beats> beats_;
};

}  // namespace gridlock::agents
