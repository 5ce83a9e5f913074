// A communicator never forms: a rank does not come, or comes under a wrong name.
//
// Lesson    Initialisation is the first collective. It waits for as many ranks as it was told, each
// under
//           its own number, and says nothing while it waits.
// Watch     The ranks that hang are those that did as they should. The one to blame trains happily
// alone
//           (a strategy chosen for one device, a launcher that started it without WORLD_SIZE), or
//           all hang because they were told to wait for one more than there are.
// Cure      A communicator that does not block (config.blocking = 0), polled until a deadline, then
//           ncclCommAbort and an error that says who was waited for. It does not make the rank
//           come: it ends the job cleanly. That is what a fix can do here, so the fix is declared
//           to fail.
// Seen in   NVIDIA/nccl#1677 (a deadline for init), #394 (a rank of which nothing was heard)

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr auto kDeadline = std::chrono::milliseconds(400);

ncclUniqueId unique_id(Rank& rank) {
  ncclUniqueId id{};
  if (rank.rank() == 0) check(ncclGetUniqueId(&id));
  const std::string first =
      rank.rendezvous().exchange(std::string(id.internal, sizeof id.internal)).front();
  std::memcpy(id.internal, first.data(), sizeof id.internal);
  return id;
}

[[gnu::noinline]] ncclComm_t join(const ncclUniqueId& id, int size, int as, bool blocking = true) {
  const Label label("communicator/init");
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "world";
  config.blocking = blocking ? 1 : 0;
  ncclComm_t world = nullptr;
  const ncclResult_t result = ncclCommInitRankConfig(&world, size, id, as, &config);
  if (result != ncclInProgress) check(result);
  return world;
}

// Training, as far as it matters here.
void train(Rank& rank, ncclComm_t world, int members) {
  const Channel channel = open_channel(world, rank.stream());
  all_reduce(channel, "gradients", 1);
  rank.report().numbers(read(rank, channel) == static_cast<float>(members), "a sum of ones, exact");
  close_communicator(world);
}

void all_come(Rank& rank) {
  const int size = rank.world_size();
  train(rank, join(unique_id(rank), size, rank.rank()), size);
}

void never_calls_init(Rank& rank) {
  const ncclUniqueId id = unique_id(rank);
  const bool alone = rank.is_last();  // BUG: takes itself for a job of one
  if (alone) {
    ncclUniqueId own{};
    check(ncclGetUniqueId(&own));
    return train(rank, join(own, 1, 0), 1);
  }
  train(rank, join(id, rank.world_size(), rank.rank()), rank.world_size());
}

void one_world_size_differs(Rank& rank) {
  const int size = rank.world_size() + (rank.is_last() ? 1 : 0);  // BUG: on one rank
  train(rank, join(unique_id(rank), size, rank.rank()), size);
}

void world_size_too_large(Rank& rank) {
  const int size = rank.world_size() + 1;  // BUG: on all ranks; nobody will ever be the last one
  train(rank, join(unique_id(rank), size, rank.rank()), size);
}

void duplicate_rank(Rank& rank) {
  const int as = rank.is_last() ? 0 : rank.rank();  // BUG: two ranks are rank 0
  train(rank, join(unique_id(rank), rank.world_size(), as), rank.world_size());
}

// Polls until all have come.
//   Returns  whether they have
//   Blocks   at most until the deadline
bool forms_in_time(ncclComm_t world) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress && std::chrono::steady_clock::now() < end) {
    check(ncclCommGetAsyncError(world, &state));
  }
  if (state != ncclInProgress) check(state);
  return state == ncclSuccess;
}

void deadline_and_abort(Rank& rank) {
  const ncclUniqueId id = unique_id(rank);
  if (rank.is_last()) return;  // never calls
  const ncclComm_t world = join(id, rank.world_size(), rank.rank(), false);
  if (!forms_in_time(world)) {  // FIX: an end, and a sentence
    check(ncclCommAbort(world));
    throw std::runtime_error("rank " + std::to_string(rank.rank()) + ": the communicator of " +
                             std::to_string(rank.world_size()) + " ranks did not form within " +
                             std::to_string(kDeadline.count()) +
                             " ms; see which rank never said that it initialises.");
  }
}

// The same loop where everybody comes.
void deadline_not_needed(Rank& rank) {
  const int size = rank.world_size();
  const ncclComm_t world = join(unique_id(rank), size, rank.rank(), false);
  if (!forms_in_time(world)) throw std::runtime_error("a rank did not come in time.");
  int members = 0;
  check(ncclCommCount(world, &members));
  rank.report().numbers(members == size, "the communicator's size");
  rank.rendezvous().exchange("");  // a rank that left earlier would be lost to those who still join
}

Expectation waits_for(std::vector<int> culprits, std::vector<int> waiting) {
  return deadlock(Cause::init)
      .culprits(std::move(culprits))
      .waiting_in("communicator/init")
      .operation(Operation::comm_init)
      .on("world")
      .called_from("join")
      .by(std::move(waiting));
}

Expectation last_is_missing(int ranks) { return waits_for({ranks - 1}, all_but(ranks, ranks - 1)); }
Expectation last_says_more(int ranks) {
  return waits_for(fewer_or_all(ranks, {ranks - 1}), all_ranks(ranks))
      .or_on(Backend::cuda, Outcome::fails);
}
Expectation one_too_many(int ranks) { return waits_for(all_ranks(ranks), all_ranks(ranks)); }
Expectation last_is_a_second_zero(int ranks) {
  return waits_for({ranks - 1}, all_ranks(ranks)).or_on(Backend::cuda, Outcome::fails);
}

// Those who come give up; the one who does not come is content.
Expectation gives_up(int ranks) { return fails().culprits(all_but(ranks, ranks - 1)); }
Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank does not come to the communicator's initialisation, or under a wrong name",
    .claims = {"C4", "D8", "E2", "E3"},
    .ranks = 4,
    .variants =
        {
            {"all_come", Role::control, "every rank initialises", all_come, all_well},
            {"never_calls_init", Role::broken, "the last rank trains alone and exits",
             never_calls_init, last_is_missing},
            {"one_world_size_differs", Role::broken,
             "the last rank expects one rank more than the others", one_world_size_differs,
             last_says_more},
            {"world_size_too_large", Role::broken, "all ranks expect one rank more than there are",
             world_size_too_large, one_too_many},
            {"duplicate_rank", Role::broken, "the last rank takes itself for rank 0",
             duplicate_rank, last_is_a_second_zero},
            {"deadline_and_abort", Role::fix,
             "init that does not block, a deadline, abort: all end with a sentence",
             deadline_and_abort, gives_up},
            {"deadline_not_needed", Role::fix, "the same with all ranks there", deadline_not_needed,
             all_well},
        },
};
