// A rendezvous variable is missing, makes no sense, or differs between the ranks.
//
// Lesson    RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT are the
// only thing
//           that makes processes a job. What one process can see of a mistake must be an error
//           there, before anything is waited for; what only several can see needs a deadline.
// Watch     A default value hides the mistake: RANK missing and taken as 0 on all ranks, WORLD_SIZE
// missing
//           and taken as 1. Then every rank trains alone, or all wait for ranks that were never
//           started. A text that begins with a number ("2 # nodes") is cut by atoi and taken.
// Cure      Read all of them first, refuse what is not a number in its range, and name the
// variable. Compare
//           what must be equal when the ranks meet. Never meet without a deadline.
// Seen in   pytorch#23074 (LOCAL_RANK given as RANK on two nodes: waits for ranks 2 and 3);
// Megatron-LM#2571
//           (a world size counted from devices); pytorch#11782 (an error that names the variable)

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr auto kDeadline = std::chrono::milliseconds(400);
constexpr std::array<const char*, 5> kNumbers{"RANK", "WORLD_SIZE", "LOCAL_RANK",
                                              "LOCAL_WORLD_SIZE", "MASTER_PORT"};
constexpr std::array<const char*, 6> kAll{
    "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT", "MASTER_ADDR"};

// A variable with another value (null: none), until the end of the scope.
class Changed {
 public:
  Changed(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Changed() { setenv(name_, before_.c_str(), 1); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

 private:
  const char* name_;
  std::string before_;
};

// What the reader says of the environment with `name` changed.
std::string refusal(const char* name, const char* value) {
  const Changed changed(name, value);
  try {
    read_environment();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  throw std::logic_error(std::string(name) + " was accepted.");
}

// Gives each variable in turn the wrong value, and fails with all sentences. Each must name its
// variable: that is this rank's check of numbers.
template <std::size_t Count>
void refuse(Rank& rank, const std::array<const char*, Count>& names, const char* value) {
  std::string all;
  bool named = true;
  for (const char* name : names) {
    const std::string sentence = refusal(name, value);
    named = named && sentence.starts_with(name);
    all += sentence + "\n";
  }
  rank.report().numbers(named, "every sentence names its variable");
  if (!named) return;  // completes, which is not what is declared
  throw EnvironmentError(all);
}

void missing(Rank& rank) { refuse(rank, kAll, nullptr); }
void empty(Rank& rank) { refuse(rank, kAll, ""); }
void not_a_number(Rank& rank) { refuse(rank, kNumbers, "two"); }
void number_and_more(Rank& rank) { refuse(rank, kNumbers, "2 # nodes"); }
void negative(Rank& rank) { refuse(rank, kNumbers, "-1"); }
void too_large(Rank& rank) { refuse(rank, kNumbers, "99999999999"); }
void out_of_range(Rank& rank) {
  refuse(rank, std::array<const char*, 3>{"RANK", "LOCAL_RANK", "MASTER_PORT"}, "70000");
}

// The errors are the lesson, so this file catches them.
//
// Meets the others in an environment that one process alone cannot see to be wrong.
void meet(Rank& rank, const Environment& environment, std::string_view variable) {
  rank.rendezvous().exchange("all are there");  // nobody listens at the port any more
  try {
    Rendezvous rendezvous(environment, kDeadline);
    rendezvous.exchange("here");
  } catch (const RendezvousError& error) {
    const std::string sentence = error.what();
    // Those who have lost rank 0 only know that.
    const bool named = rank.rank() != 0 || sentence.find(variable) != std::string::npos;
    rank.report().numbers(named, "rank 0's sentence names " + std::string(variable));
    if (named) throw;
  }
}

void no_such_address(Rank& rank) {
  Environment environment = read_environment();
  environment.master_addr = "not an address";  // BUG
  meet(rank, environment, "MASTER_ADDR");
}

void world_sizes_differ(Rank& rank) {
  Environment environment = read_environment();
  if (rank.is_last()) ++environment.world_size;  // BUG: says one more than the others
  meet(rank, environment, "WORLD_SIZE");
}

void ranks_repeat(Rank& rank) {
  Environment environment = read_environment();
  if (rank.is_last()) environment.rank = 1;  // BUG: there is one already
  meet(rank, environment, "RANK");
}

void ports_differ(Rank& rank) {
  Environment environment = read_environment();
  if (rank.is_last()) environment.master_port = environment.master_port == 1 ? 2 : 1;  // BUG
  meet(rank, environment, rank.is_last() ? "MASTER_PORT" : "WORLD_SIZE");
}

void all_right(Rank& rank) {
  rank.rendezvous().exchange("all are there");
  Rendezvous rendezvous(read_environment());
  const std::size_t came = rendezvous.exchange("here").size();
  rank.report().numbers(came == static_cast<std::size_t>(rank.world_size()), "all ranks came");
}

Expectation refused(int ranks) { return fails().culprits(all_ranks(ranks)); }
Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rendezvous variable is missing, makes no sense, or differs between ranks",
    .claims = {"E3"},
    .ranks = 4,
    .variants =
        {
            {"all_right", Role::control, "the launcher's environment", all_right, all_well},
            {"missing", Role::broken, "each variable in turn is not set", missing, refused},
            {"empty", Role::broken, "each variable in turn is empty", empty, refused},
            {"not_a_number", Role::broken, "each number in turn is a word", not_a_number, refused},
            {"number_and_more", Role::broken, "each number in turn is followed by something else",
             number_and_more, refused},
            {"negative", Role::broken, "each number in turn is negative", negative, refused},
            {"too_large", Role::broken, "each number in turn does not fit an int", too_large,
             refused},
            {"out_of_range", Role::broken, "a rank beyond the world's size, a port beyond 65535",
             out_of_range, refused},
            {"no_such_address", Role::broken, "MASTER_ADDR is no address", no_such_address,
             refused},
            {"world_sizes_differ", Role::broken, "the last rank has a larger WORLD_SIZE",
             world_sizes_differ, refused},
            {"ranks_repeat", Role::broken, "two processes have RANK 1", ranks_repeat, refused, 3,
             16, "rank 1 must have a double"},
            {"ports_differ", Role::broken, "the last rank has another MASTER_PORT", ports_differ,
             refused},
        },
};
