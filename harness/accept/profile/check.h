// One check of the machine: what to run, how often, and what the result is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/accept/profile/profile.h"

namespace gridlock::accept {

enum class Kind { scenario, collective, scaling, soak };
std::string_view to_string(Kind kind);

// The reason why a failure does not count.
struct Excuse {
  enum class Kind { waived, expected };
  Kind kind = Kind::waived;
  std::string why;  // "one link is down (until 2027-01-31)", "ticket OPS-123"
};

struct Check {
  std::string id;  // "uneven_batches/drop_last@4", "all_reduce/64MiB@8", "scaling@2", "soak@4"
  Kind kind = Kind::scenario;
  int line = 0;  // of its entry in the profile
  int ranks = 1;
  bool one_per_gpu = false;  // the profile leaves the number of ranks to the machine
  int repeat = 1;
  Duration limit{};  // all repetitions together
  std::vector<std::string> tags;
  bool needed = true;
  std::string cannot;  // why it cannot run here; "" if it can
  std::optional<Excuse> excuse;

  std::string scenario;  // of kind scenario and scaling
  std::string variant;
  std::string operation;  // of kind collective
  bool in_place = false;
  bool is_a_ranks_own = false;  // a rank's figure is not that of the slowest
  std::uint64_t bytes = 0;
  Floors floors;
  double least_speed_up = 0;  // of kind scaling
  double usual_speed_up = 0;
  Duration soak{};  // of kind soak
  std::vector<std::string> soak_names;
  bool delays = true;
};

// Whether `pattern`, with shell wildcards, fits the check's id, with or without its "@4".
bool names(const std::string& pattern, const Check& check);

}  // namespace gridlock::accept
