// A rendezvous variable is missing, makes no sense, or differs between the ranks.
//
// Lesson    Six variables turn processes into a job: RANK, WORLD_SIZE, LOCAL_RANK,
//           LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. A process that can see a mistake alone
//           must report it before it waits for anything. A mistake that shows only when processes
//           compare their values needs a rendezvous with a deadline.
// Watch     A default value hides the mistake: a missing RANK becomes 0 on all ranks, and a missing
//           WORLD_SIZE becomes 1. Then each rank trains alone, or all wait for ranks that nobody
//           started. atoi accepts any text that begins with a number ("2 # nodes").
// Cure      Read all variables first, refuse a value that is not a number in its range, and name
//           the variable. When the ranks meet, compare the values that must be equal. Never meet
//           without a deadline.
// In PyTorch
//     rank = int(os.environ.get("RANK", 0))         # bug: a missing RANK becomes 0
//     # cure: reads the variables, names a missing one, and has a deadline
//     dist.init_process_group("nccl", timeout=timedelta(seconds=60))
// Seen in   pytorch#23074 (LOCAL_RANK given as RANK on two nodes: waits for ranks 2 and 3);
//           Megatron-LM#2571 (a world size counted from devices); pytorch#11782 (an error that
//           names the variable)

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr auto kDeadline = std::chrono::milliseconds(400);

using Names = std::vector<const char*>;
const Names kNumbers{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT"};
const Names kAll{"RANK",        "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                 "MASTER_PORT", "MASTER_ADDR"};

// The error that read_environment() gives when `name` has this value (null: not set). Empty if it
// accepts the value.
std::string refusal(const char* name, const char* value) {
  const char* given = std::getenv(name);
  const std::string before = given == nullptr ? "" : given;
  std::string sentence;
  value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  try {
    read_environment();
  } catch (const EnvironmentError& error) {
    sentence = error.what();
  }
  setenv(name, before.c_str(), 1);
  return sentence;
}

// Gives each variable in turn the wrong value, and fails with all error messages. The rank reports
// its numbers as right if each message names its variable.
void refuse(Rank& rank, const Names& names, const char* value) {
  std::string all;
  bool named = true;
  for (const char* name : names) {
    const std::string sentence = refusal(name, value);
    named = named && sentence.starts_with(name);
    all += sentence + "\n";
  }
  rank.report().numbers(named, "every sentence names its variable");
  if (!named) return;  // completes, contrary to the declaration
  throw EnvironmentError(all);
}

void missing(Rank& rank) { refuse(rank, kAll, nullptr); }
void empty(Rank& rank) { refuse(rank, kAll, ""); }
void not_a_number(Rank& rank) { refuse(rank, kNumbers, "two"); }
void number_and_more(Rank& rank) { refuse(rank, kNumbers, "2 # nodes"); }
void negative(Rank& rank) { refuse(rank, kNumbers, "-1"); }
void too_large(Rank& rank) { refuse(rank, kNumbers, "99999999999"); }
void out_of_range(Rank& rank) { refuse(rank, {"RANK", "LOCAL_RANK", "MASTER_PORT"}, "70000"); }

// Meets the others in an environment whose mistake no process can see alone. The errors are the
// lesson, so this file catches them.
template <typename Change>
void meet(Rank& rank, std::string_view variable, Change change) {
  Environment environment = read_environment();
  change(environment);
  rank.rendezvous().exchange("all are there");  // nobody listens at the port any more
  try {
    Rendezvous rendezvous(environment, kDeadline);
    rendezvous.exchange("here");
  } catch (const RendezvousError& error) {
    const std::string sentence = error.what();
    // A rank that has lost rank 0 knows only that.
    const bool named = rank.rank() != 0 || sentence.find(variable) != std::string::npos;
    rank.report().numbers(named, "rank 0's sentence names " + std::string(variable));
    if (named) throw;
  }
}

void no_such_address(Rank& rank) {
  meet(rank, "MASTER_ADDR", [](Environment& all) { all.master_addr = "not an address"; });  // BUG
}

void world_sizes_differ(Rank& rank) {
  // BUG: the last rank's value is one more than the others'
  meet(rank, "WORLD_SIZE", [&](Environment& mine) { mine.world_size += rank.is_last() ? 1 : 0; });
}

void ranks_repeat(Rank& rank) {
  meet(rank, "RANK", [&](Environment& mine) {
    if (rank.is_last()) mine.rank = 1;  // BUG: there already is a rank 1
  });
}

void ports_differ(Rank& rank) {
  meet(rank, rank.is_last() ? "MASTER_PORT" : "WORLD_SIZE", [&](Environment& mine) {
    if (rank.is_last()) mine.master_port = mine.master_port == 1 ? 2 : 1;  // BUG
  });
}

void all_right(Rank& rank) {
  rank.rendezvous().exchange("all are there");
  Rendezvous rendezvous(read_environment());
  const std::size_t came = rendezvous.exchange("here").size();
  rank.report().numbers(came == static_cast<std::size_t>(rank.world_size()), "all ranks came");
}

constexpr Variant kVariants[] = {
    {"all_right", control, "the launcher's environment", all_right},
    {"missing", broken, "each variable in turn is not set", missing, all_fail},
    {"empty", broken, "each variable in turn is empty", empty, all_fail},
    {"not_a_number", broken, "each number in turn is a word", not_a_number, all_fail},
    {"number_and_more", broken, "text follows each number in turn", number_and_more, all_fail},
    {"negative", broken, "each number in turn is negative", negative, all_fail},
    {"too_large", broken, "each number in turn does not fit an int", too_large, all_fail},
    {"out_of_range", broken, "ranks and a port beyond their range", out_of_range, all_fail},
    {"no_such_address", broken, "MASTER_ADDR is no address", no_such_address, all_fail},
    {"world_sizes_differ", broken, "one WORLD_SIZE is larger", world_sizes_differ, all_fail},
    {"ranks_repeat", broken, "two processes have RANK 1", ranks_repeat, all_fail, 3, 16,
     "rank 1 must have a double"},
    {"ports_differ", broken, "the last rank has another MASTER_PORT", ports_differ, all_fail},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rendezvous variable is missing, makes no sense, or differs between ranks",
    .claims = {"E3"},
    .variants = kVariants,
};
