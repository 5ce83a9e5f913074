// What a profile asks of a machine before it is accepted. Plain values, read from a small TOML
// file; docs/acceptance.md has every key.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/limits.h"

namespace gridlock::accept {

// A word of the profile, and its line.
struct Word {
  std::string text;
  int line = 0;
};

constexpr int kOnePerGpu = 0;  // ranks = "gpus"

// What every entry may say about its checks.
struct Common {
  int line = 0;
  std::vector<int> ranks;  // each a number, or kOnePerGpu; never empty
  int repeat = 1;
  Duration limit{};  // of one check, all its repetitions
  std::vector<std::string> tags;
  bool needed = true;  // a check that cannot run makes the answer inconclusive
};

// What a benchmark's bandwidth is compared with. If none is set, the bandwidth is only measured.
struct Floors {
  std::optional<double> least;   // bytes per second
  std::optional<double> share;   // of the baseline's median
  std::optional<double> margin;  // a rank further than this below the peers' median is an outlier
};

struct Scenarios {
  Common common;
  std::vector<Word> run;  // scenario[/variant], with wildcards
};

struct Collectives {
  Common common;
  std::string operation;
  bool in_place = false;
  bool is_a_ranks_own = false;       // a rank's figure is not that of the slowest
  std::vector<std::uint64_t> sizes;  // bytes
  Floors floors;
};

struct Scaling {
  Common common;
  double least = 0;  // speed-up over one rank
  double usual = 0;  // upper end of the range that is promised
};

struct Soak {
  Common common;
  Duration time{};
  std::vector<Word> run;  // controls and fixes; all if none
  bool delays = true;
};

// A known failure that is accepted until a date.
struct Waiver {
  Word check;  // pattern
  std::string reason;
  std::chrono::year_month_day until;
};

// A known failure that somebody is working on.
struct ExpectedFailure {
  Word check;
  std::string ticket;
};

struct Profile {
  std::string file;  // for messages
  std::string summary;
  std::string backend = "auto";
  Duration limit{};  // of the whole run
  Word baseline;     // path, as the profile has it; "": none
  std::vector<Scenarios> scenarios;
  std::vector<Collectives> collectives;
  std::vector<Scaling> scaling;
  std::vector<Soak> soak;
  std::vector<Waiver> waivers;
  std::vector<ExpectedFailure> expected_failures;
};

// `file` is for messages. A waiver must not have ended before `today`.
//   Errors   UsageError "FILE:LINE: what is wrong, and the nearest right word"
Profile parse_profile(const std::string& text, const std::string& file,
                      std::chrono::year_month_day today);

// "2027-01-31"
std::string date_text(std::chrono::year_month_day day);

// "FILE:LINE: sentence"
std::string at_line(const std::string& file, int line, const std::string& sentence);

}  // namespace gridlock::accept
