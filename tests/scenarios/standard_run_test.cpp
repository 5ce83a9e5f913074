// The ordinary run: batches dealt without overlap, and a check that notices a missing step.
#include "scenarios/training/runs/standard_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::run_ranks;

constexpr int kSteps = 4;

std::string verdict_on_numbers(Rank& rank) {
  return nlohmann::json::parse(rank.report().json("completed", ""))["numbers"];
}

TEST(StandardRun, StepsCanBeLeftOut) {
  EXPECT_EQ(steps_without(3), (std::vector{0, 1, 2}));
  EXPECT_EQ(steps_without(3, 1), (std::vector{0, 2}));
}

TEST(StandardRun, NoTwoRanksOrStepsShareABatch) {
  constexpr int kRanks = 3;
  std::set<std::vector<float>> seen;
  for (int step = 0; step < kSteps; ++step) {
    for (int rank = 0; rank < kRanks; ++rank) {
      const Batch batch = standard_batch(kRanks, rank, step);
      EXPECT_EQ(batch.size, 2);
      EXPECT_TRUE(seen.insert(batch.x).second) << "rank " << rank << ", step " << step;
    }
  }
  EXPECT_EQ(batch_of_samples({}).size, 0);
}

TEST(StandardRun, AHealthyRunHasRightNumbers) {
  run_ranks(3, [](Rank& rank) {
    run_healthy(rank, kSteps);
    EXPECT_EQ(verdict_on_numbers(rank), "right");
  });
}

TEST(StandardRun, AStepTooFewIsWrong) {
  run_ranks(2, [](Rank& rank) {
    Trainer trainer(rank, one_bucket());
    for (int step = 0; step + 1 < kSteps; ++step) trainer.train_on(standard_batch(rank, step));
    finish_run(trainer, steps_without(kSteps));
    EXPECT_EQ(verdict_on_numbers(rank), "wrong");
  });
}

TEST(StandardRun, AnotherBatchIsWrong) {
  run_ranks(2, [](Rank& rank) {
    Trainer trainer(rank, one_bucket());
    for (int step = 0; step < kSteps; ++step) trainer.train_on(standard_batch(rank, step));
    finish_run(trainer, steps_without(kSteps),
               [](int ranks, int at, int step) { return standard_batch(ranks, at, step + 1); });
    EXPECT_EQ(verdict_on_numbers(rank), "wrong");
  });
}

}  // namespace
}  // namespace gridlock
