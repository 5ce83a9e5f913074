// Note D, "Encoder: DDP strategies compared": its claims, and the rules that answer them.
#include <fmt/format.h>

#include <algorithm>

#include "harness/claims/claim.h"
#include "harness/claims/figures.h"

namespace gridlock::claims {
namespace {

using detect::Cause;
using record::Call;

Answer length_exchange(const Evidence& runs) {
  const bool blocks =
      runs.waits_in("uneven_sequence_lengths/stuck_rank", "encoder/max_length") &&
      runs.host_waits_in("uneven_sequence_lengths/stuck_rank", Call::stream_synchronize);
  return confirmed_if(runs.completes("uneven_sequence_lengths/unconditional") && blocks,
                      "in every forward, the host waits there for all ranks",
                      "no host waits in the encoder's all-reduce");
}

// Ranks wait for the longest sequence only if it takes its rank more time. Rank 1 has the longest
// sequence, rank 0 the shortest.
Answer lengths_stall(const Evidence& runs) {
  const auto waits = runs.by_rank("uneven_sequence_lengths/unconditional", "host_wait_us");
  const auto slow = runs.by_rank("uneven_sequence_lengths/slow_rank", "wait_10x_us");
  if (!runs.completes("uneven_sequence_lengths/unconditional")) {
    return refuted("different lengths do not let the run complete");
  }
  if (waits.size() < 2 || slow.size() < 2) return undecided("the runs report no waits by rank");
  const std::string figures =
      fmt::format("waits of {} us a step by rank, {}; no deadlock", listed(waits),
                  sample(runs.reports("uneven_sequence_lengths/unconditional", "host_wait_us")));
  constexpr double kClearly = 1.25;
  if (waits[0] > kClearly * waits[1]) return confirmed(figures);
  if (slow.front() < kClearly * slow.back()) return refuted(figures);
  return only_if(
      fmt::format("lengths cost time: here they hardly do ({}); with one rank 10 times "
                  "slower, ranks wait {} us",
                  figures, listed(slow)));
}

Answer stuck(const Evidence& runs) {
  return confirmed_if(runs.hangs("uneven_sequence_lengths/stuck_rank") &&
                          runs.blames_the_silent("uneven_sequence_lengths/stuck_rank"),
                      "all others wait, and that rank is to blame",
                      "the others do not wait for it");
}

Answer no_exchange(const Evidence& runs) {
  const auto own = runs.by_rank("uneven_sequence_lengths/sync_off", "bytes_per_rank");
  const auto shared = runs.by_rank("uneven_sequence_lengths/unconditional", "bytes_per_rank");
  if (!runs.completes("uneven_sequence_lengths/sync_off")) return refuted("it hangs too");
  if (own.empty() || shared.empty()) return undecided("the runs report no bytes by rank");
  const std::string figures = fmt::format(
      "buffers of {} bytes by rank; {} with the exchange ({})", listed(own), listed(shared),
      sample(runs.reports("uneven_sequence_lengths/sync_off", "bytes_per_rank")));
  const auto [least, most] = std::minmax_element(own.begin(), own.end());
  return *least < *most ? confirmed(figures) : only_if("memory may be equal: " + figures);
}

std::string waits_of_slow_rank(const Evidence& runs) {
  constexpr const char* kVariant = "uneven_sequence_lengths/slow_rank";
  return fmt::format(
      "all ranks equal: waits of {} us a step by rank; one 10 times slower: {} us; 100 times: {} "
      "us "
      "({})",
      listed(runs.by_rank(kVariant, "wait_us")), listed(runs.by_rank(kVariant, "wait_10x_us")),
      listed(runs.by_rank(kVariant, "wait_100x_us")),
      sample(runs.reports(kVariant, "wait_100x_us")));
}

Answer slow_forward(const Evidence& runs) {
  return runs.completes("uneven_sequence_lengths/slow_rank")
             ? refuted("the others only wait; " + waits_of_slow_rank(runs))
             : confirmed("the slow rank's run does not complete");
}

Answer slow_batchnorm(const Evidence& runs) {
  const bool slow = !runs.completes("sync_batchnorm_stall/slow_rank");
  const bool skipped = runs.hangs("sync_batchnorm_stall/empty_batch_on_one_rank") &&
                       runs.hangs("sync_batchnorm_stall/eval_on_one_rank");
  if (slow) return confirmed("a slow rank is enough");
  return skipped ? only_if("a rank skips the layer; a slow one only makes the others wait")
                 : refuted("neither a slow nor a skipped forward hangs");
}

Answer in_step(const Evidence& runs) {
  if (!runs.hangs("uneven_batches/peers_leave")) return refuted("uneven batches do not hang");
  std::string failed;
  for (const char* cure : {"even_batches", "drop_last", "padding_sampler"}) {
    if (!runs.completes(std::string("uneven_batches/") + cure)) failed += std::string(" ") + cure;
  }
  return confirmed_if(failed.empty(), "each of the three alone is enough", "not a cure:" + failed);
}

Answer not_distributed(const Evidence& runs) {
  return confirmed_if(runs.has_cause("missing_rank_at_init/never_calls_init", Cause::init),
                      "that rank trains alone, and the others block in init",
                      "the others do not wait in init");
}

// Three hangs. In each, one rank differs: by a flag, by a size, or because it never called init.
Answer state_of_ranks(const Evidence& runs) {
  constexpr const char* kInit = "missing_rank_at_init/never_calls_init";
  constexpr const char* kShapes = "uneven_sequence_lengths/local_buffers";
  constexpr const char* kFlag = "sync_batchnorm_stall/eval_on_one_rank";
  const std::vector<double> sizes = runs.sizes_told(kShapes);
  std::string unknown;
  if (!runs.has_cause(kInit, Cause::init) || !runs.blames_the_silent(kInit)) unknown = "init state";
  if (!runs.has_cause(kShapes, Cause::mismatch) || sizes.size() < 2) {
    unknown += unknown.empty() ? "shapes" : ", shapes";
  }
  if (!runs.blames_another_call(kFlag)) unknown += unknown.empty() ? "flag" : ", flag";
  if (!unknown.empty()) return refuted("it does not show the rank that differs by " + unknown);
  std::string found = fmt::format(
      "the records show which rank never initialised ({}), which sizes differ ({}: {} bytes meet), "
      "and which mode differs ({} called something else)",
      ranks(runs.culprits(kInit)), ranks(runs.culprits(kShapes)), listed(sizes),
      ranks(runs.culprits(kFlag)));
  const auto without_zero = [&](const char* variant) {
    const std::vector<int> blamed = runs.culprits(variant);
    return !blamed.empty() && blamed.front() > 0;
  };
  if (without_zero(kInit) && without_zero(kShapes) && without_zero(kFlag)) {
    found += "; in all three, rank 0 is right, and its log is usually the only one";
  }
  return confirmed(found);
}

}  // namespace

std::vector<Claim> note_d() {
  return {
      {.id = "D1",
       .says = "NeMo's encoder all-reduces (MAX) the sequence length in every forward, and .item() "
               "waits on the host",
       .variants = {"uneven_sequence_lengths/unconditional", "uneven_sequence_lengths/stuck_rank"},
       .predicted = Kind::confirmed,
       .rule = length_exchange},
      {.id = "D2",
       .says = "different lengths (1000, 2000, 1500, 1800) make early ranks wait",
       .variants = {"uneven_sequence_lengths/unconditional", "uneven_sequence_lengths/slow_rank"},
       .predicted = Kind::confirmed,
       .rule = lengths_stall},
      {.id = "D3",
       .says = "if one rank sticks (loading), all stick",
       .variants = {"uneven_sequence_lengths/stuck_rank"},
       .predicted = Kind::confirmed,
       .rule = stuck},
      {.id = "D4",
       .says = "sync_max_audio_length: false avoids it; memory then differs by rank",
       .variants = {"uneven_sequence_lengths/sync_off", "uneven_sequence_lengths/unconditional"},
       .predicted = Kind::confirmed,
       .rule = no_exchange},
      {.id = "D5",
       .says = "very different forward times deadlock the gradient sync",
       .variants = {"uneven_sequence_lengths/slow_rank"},
       .predicted = Kind::refuted,
       .rule = slow_forward},
      {.id = "D6",
       .says = "very different forward times deadlock SyncBatchNorm",
       .variants = {"sync_batchnorm_stall/slow_rank",
                    "sync_batchnorm_stall/empty_batch_on_one_rank",
                    "sync_batchnorm_stall/eval_on_one_rank"},
       .predicted = Kind::only_if,
       .rule = slow_batchnorm},
      {.id = "D7",
       .says = "equal batch sizes, drop_last, DistributedSampler keep ranks in step",
       .variants = {"uneven_batches/peers_leave", "uneven_batches/even_batches",
                    "uneven_batches/drop_last", "uneven_batches/padding_sampler"},
       .predicted = Kind::confirmed,
       .rule = in_step},
      {.id = "D8",
       .says = "strategy: auto on one device is not distributed at all",
       .variants = {"missing_rank_at_init/never_calls_init"},
       .predicted = Kind::confirmed,
       .rule = not_distributed},
      {.id = "D9",
       .says = "log flag, shapes and init state on every rank",
       .variants = {"missing_rank_at_init/never_calls_init",
                    "uneven_sequence_lengths/local_buffers",
                    "sync_batchnorm_stall/eval_on_one_rank"},
       .predicted = Kind::confirmed,
       .rule = state_of_ranks},
  };
}

}  // namespace gridlock::claims
