// An agent that agent 0 leads. It starts ranks and looks at them on request, and decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/agents/channel.h"
#include "harness/agents/delta.h"
#include "harness/agents/messages.h"
#include "harness/catalogue/installation.h"
#include "harness/processes/interrupts.h"
#include "harness/run/look/delays.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::agents {

class Follower {
 public:
  Follower(Channel& leader, const catalogue::Installation& installation,
           processes::Interrupts& interrupts)
      : leader_(leader), installation_(installation), interrupts_(interrupts) {}

  // Answers until the leader ends the session. Returns the exit code.
  //   Errors   MachineError if the leader is lost or sends an invalid question, or a signal asks to
  //            end; then no rank is left
  //   Blocks   until then
  int run();

 private:
  // A job, and what was sent about it so far.
  struct Task {
    Task(run::Job with, const catalogue::Installation& installation)
        : job(std::move(with)),
          ranks(job, installation),
          snapshots(static_cast<std::size_t>(own_share(job).ranks)),
          delta(snapshots.size()) {}
    run::Job job;
    run::OwnRanks ranks;
    std::vector<record::Snapshot> snapshots;
    DeltaWriter delta;
  };

  void wait();
  void answer(std::string_view message);
  void carry_out(Request request, Reader& reader, Writer& writer);
  void start(Reader& reader);
  void look(Reader& reader, Writer& writer);
  void write_modules(Writer& writer);
  void write_loads(Writer& writer);
  void write_box(Reader& reader, Writer& writer);
  void begin_delays(Reader& reader);
  void end_delays(Writer& writer);
  Task& task();

  Channel& leader_;
  const catalogue::Installation& installation_;
  processes::Interrupts& interrupts_;
  std::optional<Task> task_;
  std::optional<run::Delays> delays_;  // destroyed before the ranks
  std::optional<int> end_code_;
};

}  // namespace gridlock::agents
