// What a person sees of a watched job: that it lives.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/run/look/pace.h"
#include "harness/session/console.h"

namespace gridlock::session {

// On a terminal: steps per second and what the ranks do, below the job's own output, written over
// once a second. Otherwise a line a minute.
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
