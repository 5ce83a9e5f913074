// What the detector says about a run: plain values, which harness/detect/words puts into English.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/detect/verdict/phrases.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

enum class Outcome { running, completes, deadlock, stall, fails, crashes, corrupts };
enum class Cause {
  none,
  missing_rank,
  rank_exited,
  mismatch,
  cycle,
  host_stuck,
  device_stuck,
  network,
  init,
  self
};

std::string_view to_string(Outcome outcome);
std::string_view to_string(Cause cause);

// A place in a program: a module and an offset in it, equal on all ranks whatever the address
// layout.
struct CodeLocation {
  std::string module;
  std::uint64_t offset = 0;  // of the return address, in the file; 0: unknown
  bool operator==(const CodeLocation&) const = default;
};

// Ranks that wait in the same place.
struct Wait {
  std::vector<int> ranks;
  record::Call operation =
      record::Call::none;  // the operation, or the host call when there is none
  record::Call host_call = record::Call::none;  // what their host thread is in; none: it runs
  std::uint64_t communicator_id = 0;
  std::string communicator;    // its name; "" if it has none
  CommunicatorName name = {};  // what tells it from others if it has none
  std::uint64_t slot = 0;
  OtherSide other = {};  // empty if it is not the same for all of them
  std::string label;
  std::vector<CodeLocation> callers;  // innermost first; of the operation
  std::string caller;  // "function (file:line)", filled in by code that reads symbols
};

struct Verdict {
  Outcome outcome = Outcome::running;
  Cause cause = Cause::none;
  std::vector<int> culprits;  // sorted
  std::vector<Wait> waiting;  // sorted by first rank
  struct Fault {
    std::vector<int> ranks;
    Phrase what;
  };
  std::vector<Fault> faults;         // what the culprits did; sorted by first rank
  std::vector<Phrase> cycle;         // the wait-for cycle, if any: back to its first step
  std::vector<Phrase> assumptions;   // that the proof rests on
  std::optional<Phrase> divergence;  // where the ranks began to disagree
  std::vector<Phrase> notes;         // anything else to say
  std::string told;  // the explanation, if only its words are known (results read back)
};

}  // namespace gridlock::detect
