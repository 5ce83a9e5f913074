// Training that works: the positive control for everything else.
//
// Lesson    Every rank makes the same calls in the same order, on its own share of the samples.
//           Rank r of W gets r, r + W, r + 2W, …, padded to equal counts; what all ranks come to
//           equals what one process comes to on all of the data.
// Watch     Ranks do not walk in step: they wait for each other inside collectives, where a GPU
//           shows full use. Output from rank 0 only is a habit of loggers, not a sign of health;
//           here all ranks report where they are.
// Cure      Nothing to cure. Start with one rank, then two, then more (`-n 1,2,4,8`): what breaks
//           on the way breaks where it is easy to see.
// Seen in   PyTorch's DistributedSampler and DistributedDataParallel, as documented

#include <fmt/core.h>

#include <set>
#include <string>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/declare.h"
#include "scenarios/training/sampler.h"
#include "scenarios/training/standard_run.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;

// As many samples as make the last step come up short, on all but one rank.
int samples(int ranks) { return (kSteps - 1) * ranks + 1; }

std::vector<int> share(int ranks, int rank) {
  return sample_indices(samples(ranks), ranks, rank, Tail::pad);
}
Batch share_batch(int ranks, int rank, int step) {
  return batch_of_samples({share(ranks, rank).at(static_cast<std::size_t>(step))});
}

// All ranks' shares together are the data set, each sample once, but for what pads the last step.
//   Collective, Blocks  over the rendezvous
void check_partition(Rank& rank, const std::vector<int>& mine) {
  std::string text;
  for (const int sample : mine) text += fmt::format("{} ", sample);
  std::multiset<int> all;
  bool strided = true;
  for (const std::string& line : rank.rendezvous().exchange(text)) {
    for (std::size_t at = 0; at < line.size(); at = line.find(' ', at) + 1) {
      all.insert(std::stoi(line.substr(at)));
    }
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const int next = rank.rank() + static_cast<int>(i) * rank.world_size();
    strided = strided && mine[i] == next % samples(rank.world_size());
  }
  bool complete = true;
  for (int sample = 0; sample < samples(rank.world_size()); ++sample) {
    complete = complete && all.contains(sample);
  }
  rank.report().figure("samples_seen_twice",
                       static_cast<double>(all.size()) - samples(rank.world_size()));
  if (!strided || !complete) rank.report().numbers(false, "the sampler left samples out");
}

// One process each, one device each where there are enough.
//   Collective, Blocks  over the rendezvous
void report_devices(Rank& rank) {
  int device = -1;
  check(cudaGetDevice(&device));
  const auto all = rank.rendezvous().exchange(std::to_string(device));
  rank.report().figure("devices_used",
                       static_cast<double>(std::set(all.begin(), all.end()).size()));
}

void train(Rank& rank, const TrainerOptions& options) {
  Trainer trainer(rank, options);
  const std::vector<int> mine = share(rank.world_size(), rank.rank());
  report_devices(rank);
  check_partition(rank, mine);
  int calls = 0;
  int completions = 0;
  for (int step = 0; step < static_cast<int>(mine.size()); ++step) {
    {
      const Label label("encoder");
      fmt::print("step {}: calling encoder\n", step);
      ++calls;
      trainer.forward(share_batch(rank.world_size(), rank.rank(), step));
      fmt::print("step {}: encoder completed\n", step);
      ++completions;
    }
    trainer.backward();
    trainer.step();
    trainer.loss_item();
    rank.report().step_done();
  }
  rank.report().figure("encoder_calls", calls);
  rank.report().figure("encoder_completions", completions);
  rank.report().figure("gradient_memory_bytes",
                       static_cast<double>(trainer.reducer().gradient_bytes()));
  verify_run(trainer, steps_without(kSteps), share_batch);
  trainer.close();
}

void trains(Rank& rank) { train(rank, {}); }
void trains_with_sync_batchnorm(Rank& rank) { train(rank, {.norm = Norm::synchronized}); }
void gradients_in_buckets(Rank& rank) { train(rank, {.gradient_as_bucket_view = true}); }

// The same work on rank 0 alone, then on all: how much faster a sample goes by.
void scaling(Rank& rank) {
  constexpr int kSamples = 32;  // of a batch
  const auto batch = [](int ranks, int at, int step) {
    std::vector<int> indices;
    for (int i = 0; i < kSamples; ++i) indices.push_back((step * kSamples + i) * ranks + at);
    return batch_of_samples(indices);
  };
  Trainer trainer(rank, {});
  const auto steps = [&](auto step_on) {
    step_on(batch(rank.world_size(), rank.rank(), 0));  // warm
    rank.report().forget_steps();
    for (int step = 1; step < kSteps; ++step) {
      step_on(batch(rank.world_size(), rank.rank(), step));
      rank.report().step_done();
    }
    return rank.report().median_step_us();
  };
  double alone = 0;
  if (rank.rank() == 0) {
    alone = steps([&](const Batch& one) {
      trainer.module().forward(one);
      trainer.module().backward([](int) {});
      trainer.loss_item();
    });
  }
  alone = std::stod(rank.rendezvous().exchange(std::to_string(alone)).front());
  const double together = steps([&](const Batch& one) {
    trainer.forward(one);
    trainer.backward();
    trainer.step();
    trainer.loss_item();
  });
  rank.report().figure("step_time_alone_us", alone);
  rank.report().figure("speed_up", rank.world_size() * alone / together);
  verify_run(trainer, steps_without(kSteps), batch);
  trainer.close();
}

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "training that works, on any number of ranks",
    .claims = {"A8", "C1", "C2", "C3", "C8", "C9", "E5", "E6", "E8"},
    .ranks = 4,
    .variants =
        {
            {"trains", Role::control, "all ranks train on their shares; the numbers are right",
             trains, all_well, 1, 256},
            {"trains_with_sync_batchnorm", Role::control,
             "the same with collectives in the forward pass", trains_with_sync_batchnorm, all_well,
             1, 256},
            {"gradient_as_bucket_view", Role::control,
             "gradients live in the buckets, which saves a copy of them", gradients_in_buckets,
             all_well, 1, 256},
            {"scaling", Role::control, "the same work on one rank, then on all: the speed-up",
             scaling, all_well, 1, 256},
        },
};
