// Turns a profile into the checks that it asks for on one machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/accept/profile/check.h"

namespace gridlock::accept {

// What the machine has.
struct Setting {
  std::string backend;  // sim or cuda
  int gpus = 0;         // that the ranks may use; simulated ones on sim
  std::string no_gpus;  // why there are none
  bool has_baseline = false;
  bool has_benchmark = true;  // the collective benchmark is part of this installation
};

// A variant that a pattern asks for.
struct Found {
  std::string scenario;
  std::string variant;
  int ranks = 0;
  std::string needs;  // why it cannot run with this many ranks; "" if it can
};

// The variants that fit `pattern` with `ranks` ranks.
//   Errors   UsageError if there is none, naming the nearest
using Find = std::function<std::vector<Found>(const std::string& pattern, int ranks)>;

//   Errors   UsageError with the profile's file and line, for an unknown scenario, a waiver that
//            fits no check, a duplicate check or a missing baseline
std::vector<Check> plan(const Profile& profile, const Setting& setting, const Find& find);

// The user's selection of checks.
struct Selection {
  std::vector<std::string> tags;       // with at least one of them; all if empty
  std::vector<std::string> skip_tags;  // and with none of these
  int shard = 1;                       // of `shards`: every shards-th check, from this one on
  int shards = 1;
};

//   Errors   UsageError for a tag that no check has, naming the nearest, and if nothing is left
std::vector<Check> select(std::vector<Check> checks, const Selection& selection);

// Parses "2/3" as shard 2 of 3.
//   Errors   UsageError
void parse_shard(const std::string& text, Selection& selection);

}  // namespace gridlock::accept
