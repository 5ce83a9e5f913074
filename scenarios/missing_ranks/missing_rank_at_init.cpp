// A communicator never forms: a rank does not come, or has a wrong rank number or world size.
//
// Lesson    Initialization is the first collective. It waits, silently, until the given number of
//           ranks have come, each with its own rank number.
// Watch     The ranks that hang did everything right. The culprit trains happily alone: its
//           strategy was chosen for one device, or its launcher gave it no WORLD_SIZE. Or all ranks
//           hang, because all were told to wait for one more rank than there is.
// Cure      Open a non-blocking communicator (config.blocking = 0) and poll it until a deadline.
//           Then call ncclCommAbort and report an error. The deadline does not bring the rank. It
//           ends the job cleanly, so this fix is declared to fail.
// In PyTorch
//     Trainer(devices=1, strategy="auto")            # bug: this rank is not in the others' job
//     dist.init_process_group("nccl")                # bug: the others wait, for ten minutes
//     dist.init_process_group("nccl", timeout=timedelta(seconds=60))     # cure: a deadline
// Seen in   NVIDIA/nccl#1677 (a deadline for init), #394 (a rank that was never heard of)

#include <fmt/core.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

// Ranks that share a GPU need a second or two for NCCL's init.
constexpr auto kDeadline = std::chrono::seconds(5);

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

void add_ones(Rank& rank, ncclComm_t world, int members) {
  const Channel channel = open_channel(world, rank.stream());
  all_reduce(channel, "gradients", 1);
  rank.report().numbers(read(rank, channel) == static_cast<float>(members), "a sum of ones, exact");
}

void join_and_train(Rank& rank, int size, int as) {
  const ncclComm_t world = join(share_unique_id(rank), size, as);
  add_ones(rank, world, size);
  close_communicator(world);
}

void all_come(Rank& rank) { join_and_train(rank, rank.world_size(), rank.rank()); }

void never_calls_init(Rank& rank) {
  if (!rank.is_last()) return join_and_train(rank, rank.world_size(), rank.rank());
  share_unique_id(rank);  // takes part, but does not use the id
  ncclUniqueId own{};
  check(ncclGetUniqueId(&own));
  add_ones(rank, join(own, 1, 0), 1);  // BUG: it believes that it is the only rank
}

void one_world_size_differs(Rank& rank) {
  const int more = rank.is_last() ? 1 : 0;  // BUG: on one rank
  join_and_train(rank, rank.world_size() + more, rank.rank());
}

void world_size_too_large(Rank& rank) {
  join_and_train(rank, rank.world_size() + 1, rank.rank());  // BUG: there is no such last rank
}

void duplicate_rank(Rank& rank) {
  join_and_train(rank, rank.world_size(), rank.is_last() ? 0 : rank.rank());  // BUG: two are rank 0
}

// Whether all have come.
//   Blocks  until they have, at most until the deadline
bool forms_in_time(ncclComm_t world) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress && std::chrono::steady_clock::now() < end) {
    check(ncclCommGetAsyncError(world, &state));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (state != ncclInProgress) check(state);
  return state == ncclSuccess;
}

void deadline_and_abort(Rank& rank) {
  const ncclUniqueId id = share_unique_id(rank);
  if (rank.is_last()) return;  // never calls
  const ncclComm_t world = join(id, rank.world_size(), rank.rank(), false);
  if (!forms_in_time(world)) {  // FIX: ends, and says why
    check(ncclCommAbort(world));
    throw std::runtime_error(fmt::format("not all {} ranks came within {} s; see which did not.",
                                         rank.world_size(), kDeadline.count()));
  }
}

void deadline_not_needed(Rank& rank) {
  const int size = rank.world_size();
  const ncclComm_t world = join(share_unique_id(rank), size, rank.rank(), false);
  if (!forms_in_time(world)) throw std::runtime_error("a rank did not come in time.");
  add_ones(rank, world, size);
  rank.rendezvous().exchange("");  // nobody leaves while others still join
}

Expectation waits_for(std::vector<int> culprits, std::vector<int> waiting) {
  return deadlock(Cause::init)
      .culprits(std::move(culprits))
      .waiting(std::move(waiting),
               {"communicator/init", Operation::comm_init, "world", {}, "join"});
}

Expectation last_is_missing(int ranks) { return waits_for({ranks - 1}, all_but(ranks, ranks - 1)); }
// At the first rank that differs, NCCL's root goes away (bootstrapRoot in bootstrap.cc). Who came
// before it waits. Who comes later is refused, and fails.
Expectation and_root_leaves(Expectation all_wait) {
  return all_wait.or_on_real_nccl(Outcome::fails).loosely_on_real_nccl();
}
Expectation last_says_more(int ranks) {
  return and_root_leaves(waits_for(fewer_or_all(ranks, {ranks - 1}), all_ranks(ranks)));
}
Expectation one_too_many(int ranks) { return waits_for(all_ranks(ranks), all_ranks(ranks)); }
Expectation last_is_a_second_zero(int ranks) {
  return and_root_leaves(waits_for({ranks - 1}, all_ranks(ranks)));
}

// The ranks that come give up. The rank that does not come ends without an error.
Expectation gives_up(int ranks) { return fails().culprits(all_but(ranks, ranks - 1)); }

constexpr Variant kVariants[] = {
    {"all_come", control, "every rank initialises", all_come},
    {"never_calls_init", broken, "the last rank trains alone", never_calls_init, last_is_missing},
    {"one_world_size_differs", broken, "the last rank expects one rank more than the others",
     one_world_size_differs, last_says_more},
    {"world_size_too_large", broken, "all ranks expect one rank more than there are",
     world_size_too_large, one_too_many},
    {"duplicate_rank", broken, "the last rank also calls itself rank 0", duplicate_rank,
     last_is_a_second_zero},
    {"deadline_and_abort", fix, "init with a deadline, then an abort: all ranks say why and end",
     deadline_and_abort, gives_up},
    {"deadline_not_needed", fix, "the same with all ranks there", deadline_not_needed},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank misses a communicator's initialisation, or joins with a wrong number",
    .claims = {"C4", "D8", "E2", "E3"},
    .variants = kVariants,
};
