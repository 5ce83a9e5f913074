// The trainer's parameters against the reference: an independent computation in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "scenarios/training/data/sampler.h"
#include "scenarios/training/runs/verify.h"
#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::run_ranks;

constexpr int kTrainedSteps = 4;

Dataset dataset() {
  return {ModelShape{}.features, ModelShape{}.outputs, [](int sample) { return 12 + sample % 9; }};
}

Batch batch(int ranks, int rank, int step) {
  const int first = 2 * (step * ranks + rank);
  return dataset().batch({first, first + 1});
}

std::vector<ReferenceStep> reference_steps(int ranks) {
  std::vector<ReferenceStep> steps;
  for (int step = 0; step < kTrainedSteps; ++step) {
    ReferenceStep all;
    for (int rank = 0; rank < ranks; ++rank) all.batches.push_back(batch(ranks, rank, step));
    steps.push_back(all);
  }
  return steps;
}

void expect_near(const std::vector<float>& mine, const std::vector<double>& reference) {
  ASSERT_EQ(mine.size(), reference.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(mine[i]), reference[i], 2e-5) << "parameter " << i;
  }
}

class Training : public ::testing::TestWithParam<std::tuple<int, Norm>> {};

TEST_P(Training, EqualsTheReference) {
  const auto [ranks, norm] = GetParam();
  const TrainerOptions options{.norm = norm};
  const auto reference = reference_parameters(options, reference_steps(ranks));
  run_ranks(ranks, [&, count = ranks](Rank& rank) {
    Trainer trainer(rank, options);
    for (int step = 0; step < kTrainedSteps; ++step) {
      const float loss = trainer.train_on(batch(count, rank.rank(), step));
      EXPECT_TRUE(std::isfinite(loss));
    }
    expect_near(trainer.module().parameters().on_host(rank.stream()), reference);
    trainer.close();
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Training,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5),
                                            ::testing::Values(Norm::local, Norm::synchronized)));

// Tests the reference itself: its gradient is the slope of its loss. One step of SGD at two
// learning rates shows it, because the first step is linear in the rate.
TEST(Reference, StepIsLinearInTheLearningRate) {
  TrainerOptions options;
  const std::vector<ReferenceStep> one{reference_steps(2).front()};
  const auto start = initial_parameters(options.shape, 0);
  const auto small = reference_parameters(options, one);
  options.learning_rate *= 2;
  const auto large = reference_parameters(options, one);
  double moved = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const double a = small[i] - static_cast<double>(start[i]);
    const double b = large[i] - static_cast<double>(start[i]);
    EXPECT_NEAR(b, 2 * a, 1e-9);
    moved += std::abs(a);
  }
  EXPECT_GT(moved, 1e-3);
}

TEST(Trainer, NoSyncAddsUpMicroBatches) {
  run_ranks(2, [&](Rank& rank) {
    const auto train = [&](bool accumulate) {
      Trainer trainer(rank, {.broadcast_buffers = false});
      for (int pass = 0; pass < 2; ++pass) {
        trainer.reducer().set_sync(!accumulate || pass == 1);
        trainer.forward(batch(2, rank.rank(), 0));
        trainer.backward();
      }
      trainer.step();
      auto parameters = trainer.module().parameters().on_host(rank.stream());
      trainer.close();
      return parameters;
    };
    const auto once = train(false);
    const auto twice = train(true);
    const auto start = initial_parameters({}, 0);
    double moved = 0;
    for (std::size_t i = 0; i < once.size(); ++i) {
      EXPECT_NEAR(twice[i] - start[i], 2 * (once[i] - start[i]), 1e-5) << i;
      moved += std::abs(static_cast<double>(once[i] - start[i]));
    }
    EXPECT_GT(moved, 1e-3);
  });
}

TEST(Trainer, JoinDividesByTheActiveRanks) {
  constexpr int kRanks = 3;
  std::vector<ReferenceStep> steps = reference_steps(kRanks);
  steps.back().batches.back() = dataset().batch({});
  steps.back().divisor = kRanks - 1;
  const TrainerOptions options{.join = true};
  const auto reference = reference_parameters(options, steps);
  run_ranks(kRanks, [&](Rank& rank) {
    Trainer trainer(rank, options);
    const int mine = rank.is_last() ? kTrainedSteps - 1 : kTrainedSteps;
    for (int step = 0; step < mine; ++step) trainer.train_on(batch(kRanks, rank.rank(), step));
    trainer.join();
    expect_near(trainer.module().parameters().on_host(rank.stream()), reference);
    trainer.close();
  });
}

TEST(Trainer, AForwardAfterAnUnfinishedReductionThrows) {
  run_ranks(1, [&](Rank& rank) {
    Trainer trainer(rank, {});
    trainer.forward(batch(1, 0, 0));
    trainer.reducer().ready(kHeadWeight);  // a backward pass that lost the other gradients
    trainer.reducer().finish();
    EXPECT_THROW(trainer.forward(batch(1, 0, 1)), std::runtime_error);
  });
}

}  // namespace
}  // namespace gridlock
