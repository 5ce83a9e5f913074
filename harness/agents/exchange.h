// Agent 0's connections to its fellows, the other agents. It sends questions, takes answers,
// measures clocks on the way, and notices lost agents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/agents/beats.h"
#include "harness/agents/channel.h"
#include "harness/agents/clock.h"
#include "harness/agents/connect.h"
#include "harness/agents/messages.h"
#include "harness/run/start/share.h"

namespace gridlock::agents {

struct Fellow {
  int index = 0;
  Greeting greeting;
  std::unique_ptr<Channel> channel;
  ClockAlignment clock;
  std::int64_t asked_ns = 0;
  int due = 0;                  // answers to questions that were sent
  std::string fault;            // why it did not do the last request
  run::Share share;             // of the last job
  std::int64_t applied_ns = 0;  // by how much the times of its snapshots were shifted

  // "agent 1 on node-b"
  std::string name() const;
};

class Exchange {
 public:
  // `guests`: all other agents, by their index from 1 on.
  //   Blocks   until their clocks are known
  explicit Exchange(std::vector<Listener::Guest> guests);

  std::vector<Fellow>& fellows() { return fellows_; }
  const std::vector<Fellow>& fellows() const { return fellows_; }

  // Uses the content of an answer. Not called for an agent that failed or is lost.
  using Use = std::function<void(Fellow& fellow, Reader& content)>;

  void send(Fellow& fellow, const Writer& question);
  void send_all(const Writer& question);
  //   Blocks   until the answer is there, or the fellow is lost
  void receive(Fellow& fellow, const Use& use);
  void receive_all(const Use& use);
  void ask_all(Request request, const Use& use);
  // Takes the answers that an error left untaken after their questions.
  //   Blocks   until they are there, or their fellows are lost
  void take_due();

  // Measures the clocks again, unless it did so a moment ago.
  void align();
  // The greatest error of a fellow's times.
  Duration clock_error() const;

  // Checks whether a fellow was lost meanwhile. Does not wait.
  void check();
  // Why the first fellow was lost; "" while all are there.
  const std::string& lost() const { return lost_; }

 private:
  void note_lost(const Fellow& fellow);
  void align(Fellow& fellow, int times);

  std::vector<Fellow> fellows_;
  std::int64_t aligned_ns_ = 0;
  std::string lost_;
  std::unique_ptr<Beats> beats_;
};

// A question without arguments, or the start of a question with some.
Writer question(Request request);

}  // namespace gridlock::agents
