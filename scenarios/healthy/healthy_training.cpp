// Training that works: the positive control for everything else.
//
// Lesson    Every rank makes the same calls in the same order, on its own share of the samples.
//           Rank r of W gets r, r + W, r + 2W, …, padded to equal counts. All ranks end with the
//           numbers that one process would get from all the data.
// Watch     Ranks do not run in lockstep. They wait for each other inside collectives, and a GPU
//           that waits shows full utilization. Loggers usually print on rank 0 alone: that says
//           nothing about the other ranks.
// Cure      Nothing to cure. Start with one rank, then two, then more (`-n 1,2,4,8`): whatever
//           breaks then breaks at the smallest size that shows it.
// In PyTorch
//     sampler = DistributedSampler(data, shuffle=False)           # rank r: r, r + W, r + 2W, ...
//     model = DistributedDataParallel(model.to(device), device_ids=[local_rank])
//     for x, y in DataLoader(data, sampler=sampler):              # equally many steps on all ranks
//         loss_fn(model(x), y).backward(); optimizer.step(); optimizer.zero_grad()
// Seen in   PyTorch's DistributedSampler and DistributedDataParallel, as documented

#include <fmt/core.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/updates/sgd.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/data/sampler.h"
#include "scenarios/training/runs/standard_run.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;

// So many samples that in the last step only one rank has its own.
int samples(int ranks) { return (kSteps - 1) * ranks + 1; }

std::vector<int> share(int ranks, int rank) {
  return sample_indices(samples(ranks), ranks, rank, Tail::pad);
}
Batch share_batch(int ranks, int rank, int step) {
  return batch_of_samples({share(ranks, rank).at(static_cast<std::size_t>(step))});
}

// Checks that the shares of all ranks hold each sample once. The last step is padded.
//   Collective, Blocks  over the rendezvous
void check_partition(Rank& rank, const std::vector<int>& mine) {
  const int count = samples(rank.world_size());
  std::multiset<int> seen;
  bool strided = true;
  for (std::size_t step = 0; step < mine.size(); ++step) {
    const int next = rank.rank() + static_cast<int>(step) * rank.world_size();
    strided = strided && mine[step] == next % count;
    for (const int sample : rank.rendezvous().exchange(mine[step])) seen.insert(sample);
  }
  const auto different = static_cast<int>(std::set(seen.begin(), seen.end()).size());
  rank.report().figure("samples_seen_twice", static_cast<int>(seen.size()) - different);
  if (!strided || different < count) rank.report().numbers(false, "samples were left out");
}

// Reports how many devices the ranks use.
//   Collective, Blocks  over the rendezvous
void report_devices(Rank& rank) {
  int device = -1;
  check(cudaGetDevice(&device));
  const std::vector<int> all = rank.rendezvous().exchange(device);
  const auto different = std::set(all.begin(), all.end()).size();
  rank.report().figure("devices_used", static_cast<double>(different));
}

void train(Rank& rank, const TrainerOptions& options, bool prints = true) {
  Trainer trainer(rank, options);
  const std::vector<int> mine = share(rank.world_size(), rank.rank());
  report_devices(rank);
  check_partition(rank, mine);
  int calls = 0;
  int completions = 0;
  for (const int sample : mine) {
    {
      const Label label("encoder");
      if (prints) fmt::print("step {}: calling encoder\n", calls);
      ++calls;
      trainer.forward(batch_of_samples({sample}));
      if (prints) fmt::print("step {}: encoder completed\n", completions);
      ++completions;
    }
    trainer.backward();
    trainer.finish_step();
  }
  rank.report().figure("encoder_calls", calls);
  rank.report().figure("encoder_completions", completions);
  rank.report().figure("gradient_memory_bytes",
                       static_cast<double>(trainer.reducer().gradient_bytes()));
  finish_run(trainer, steps_without(kSteps), share_batch);
}

void trains(Rank& rank) { train(rank, {}); }
void rank_zero_prints(Rank& rank) { train(rank, {}, rank.rank() == 0); }
void trains_with_sync_batchnorm(Rank& rank) { train(rank, {.norm = Norm::synchronized}); }
void gradients_in_buckets(Rank& rank) { train(rank, {.gradient_as_bucket_view = true}); }

// An optimizer step that costs as much as any other, but leaves the parameters unchanged.
//   Blocks  no
void step_nowhere(Trainer& trainer) {
  const Parameters& parameters = trainer.module().parameters();
  check(kernels::launch_sgd(parameters.values(), parameters.gradients(), nullptr,
                            parameters.total(), 0.0F, 0.0F, trainer.rank().stream()));
}

// Weak scaling: one batch on rank 0 alone, then one on each rank. Reports how much faster samples
// are processed.
void scaling(Rank& rank) {
  constexpr int kSamples = 32;  // per batch
  const auto batch = [](int ranks, int at, int step) {
    std::vector<int> indices;
    indices.reserve(kSamples);
    for (int i = 0; i < kSamples; ++i) indices.push_back((step * kSamples + i) * ranks + at);
    return batch_of_samples(indices);
  };
  Trainer trainer(rank, {});
  const auto steps = [&](auto step_on) {
    step_on(batch(rank.world_size(), rank.rank(), 0));  // warm
    rank.report().forget_steps();
    for (int at = 1; at < kSteps; ++at) step_on(batch(rank.world_size(), rank.rank(), at));
    return rank.report().median_step_us();
  };
  const auto step_alone = [&](const Batch& one) {
    trainer.module().forward(one);
    trainer.module().backward([](int) {});
    step_nowhere(trainer);
    trainer.loss_item();
    rank.report().step_done();
  };
  const double mine = rank.rank() == 0 ? steps(step_alone) : 0;
  const double alone = std::stod(rank.rendezvous().exchange(std::to_string(mine)).front());
  const double together = steps([&](const Batch& one) { trainer.train_on(one); });
  rank.report().figure("speed_up", rank.world_size() * alone / together);
  rank.report().figure("samples_per_step", kSamples);
  finish_run(trainer, steps_without(kSteps), batch);
}

constexpr Variant kVariants[] = {
    {"trains", control, "all ranks train on their shares", trains, all_well, 1, 256},
    {"rank_zero_prints", control, "the same with output from rank 0 only, as healthy as before",
     rank_zero_prints, all_well, 2, 256},
    {"trains_with_sync_batchnorm", control, "the same with collectives in the forward pass",
     trains_with_sync_batchnorm, all_well, 1, 256},
    {"gradient_as_bucket_view", control, "gradients live in the buckets, so nothing copies them",
     gradients_in_buckets, all_well, 1, 256},
    {"scaling", control, "the same work on one rank, then on all", scaling, all_well, 1, 256},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "training that works, on any number of ranks",
    .claims = {"A8", "C1", "C2", "C3", "C8", "C9", "E5", "E6", "E8"},
    .variants = kVariants,
};
