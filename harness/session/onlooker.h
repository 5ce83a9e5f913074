// Shows a person that a watched job is alive.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/run/look/pace.h"
#include "harness/session/console.h"

namespace gridlock::session {

// On a terminal, it shows steps per second and what the ranks do, below the job's own output, and
// overwrites these lines once a second. Elsewhere, it prints one line a minute.
class Onlooker {
 public:
  Onlooker(std::string program, bool is_quiet);

  void look(std::span<const record::Snapshot> ranks);
  // Makes room for other output.
  void clear() { console_.clear(); }

 private:
  std::string program_;
  bool is_quiet_;
  Console console_;
  run::Pace pace_;
  std::int64_t began_ns_;
  std::int64_t told_ns_;
};

}  // namespace gridlock::session
