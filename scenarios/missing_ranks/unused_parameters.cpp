// A branch leaves layers without a gradient on one rank.
//
// Lesson    A bucket is sent when its last gradient is ready. If one never comes, on one rank, that
//           bucket and all behind it stay unsent there. DDP's reducer finds out at the next forward
//           and throws, on that rank alone; in the last step there is no next forward, and nobody
//           says a word.
// Watch     The message ("Expected to have finished reduction in the prior iteration") is the
//           rank's whose branch it was. All others hang in the bucket that holds the first missing
//           gradient.
// Cure      find_unused_parameters: what the loss does not reach is ready at once, with zeros. It
//           costs a walk over the graph and one more all-reduce in every step, needed or not. It
//           mends a missing gradient, not a missing backward pass.
// In PyTorch
//     out = self.head(h.detach() if no_text else h)                # bug: no gradient below, here
//     model = DistributedDataParallel(model, find_unused_parameters=True)     # cure
//     loss = loss + 0 * sum(p.sum() for p in model.parameters())   # cure: all of them are reached
// Seen in   pytorch#43259, pytorch#16304, open-mmlab/mmdetection#2153

#include <algorithm>

#include "kernels/gradients.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/places.h"
#include "scenarios/training/standard_run.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;

// Several buckets: {head's weight}, {… norm, linear, a part of the convolutions}, {the rest}.
constexpr TrainerOptions kOptions{.broadcast_buffers = false};

// A batch without transcripts trains the head only: the encoder's output is detached.
bool is_branch(const Rank& rank, int step, int odd_step = kOddStep) {
  return rank.is_last() && step == odd_step;
}

// DDP's find_unused_parameters.
class UnusedFinder {
 public:
  explicit UnusedFinder(Trainer& trainer)
      : trainer_(trainer),
        used_(kParameterCount, trainer.rank().stream()),
        host_(kParameterCount) {}

  //   Collective
  //   Blocks  no
  void backward() {
    std::fill_n(host_.data(), kParameterCount, 1);
    // FIX: what the loss does not reach is ready, with a gradient of zero
    for (const int parameter : trainer_.module().unreached()) {
      const Parameters& all = trainer_.module().parameters();
      check(kernels::launch_fill(all.gradient(parameter), all.count(parameter), 0, stream()));
      trainer_.reducer().ready(parameter);
      host_[static_cast<std::size_t>(parameter)] = 0;
    }
    trainer_.module().backward([this](int parameter) { trainer_.reducer().ready(parameter); });
    reduce_used_map();
    trainer_.reducer().finish();
  }

 private:
  cudaStream_t stream() const { return trainer_.rank().stream(); }

  // Who of all ranks has used which: a parameter that nobody used keeps its old gradient.
  [[gnu::noinline]] void reduce_used_map() {
    const Label label("gradients/used_map");
    ProcessGroup& world = trainer_.world();
    check(cudaMemcpyAsync(used_.data(), host_.data(), used_.bytes(), cudaMemcpyHostToDevice,
                          stream()));
    world.after_compute();
    check(ncclAllReduce(used_.data(), used_.data(), used_.size(), ncclInt32, ncclSum,
                        world.communicator(), world.stream()));
    world.compute_waits();
  }

  Trainer& trainer_;
  Buffer<std::int32_t> used_;
  PinnedBuffer<std::int32_t> host_;
};

void train(Trainer& trainer, int odd_step) {
  for (int step = 0; step < kSteps; ++step) {
    trainer.module().detach(is_branch(trainer.rank(), step, odd_step));
    trainer.train_on(standard_batch(trainer.rank(), step));
    // What was sent arrives before anybody ends, so that it is always the same bucket that hangs.
    trainer.rank().wait_for(trainer.world().stream());
  }
}

void train_finding_unused(Trainer& trainer, int odd_step) {
  UnusedFinder finder(trainer);
  for (int step = 0; step < kSteps; ++step) {
    trainer.module().detach(is_branch(trainer.rank(), step, odd_step));
    trainer.forward(standard_batch(trainer.rank(), step));
    finder.backward();
    trainer.step();
    trainer.loss_item();
    trainer.rank().report().step_done();
  }
}

void verify(Trainer& trainer, int odd_step) {
  const int ranks = trainer.rank().world_size();
  const auto plan = [=](int step) {
    ReferenceStep all;
    for (int rank = 0; rank < ranks; ++rank)
      all.batches.push_back(standard_batch(ranks, rank, step));
    if (step == odd_step) all.detached = ranks - 1;
    return all;
  };
  verify_training(trainer, kSteps, plan, 2e-5);
  trainer.close();
}

void all_used(Rank& rank) {
  Trainer trainer(rank, kOptions);
  train(trainer, -1);
  verify(trainer, -1);
}

void finds_nothing(Rank& rank) {
  Trainer trainer(rank, kOptions);
  train_finding_unused(trainer, -1);
  verify(trainer, -1);
}

// BUG: the last rank's convolutions get no gradient in one step
void branch_on_one_rank(Rank& rank) {
  Trainer trainer(rank, kOptions);
  train(trainer, kOddStep);
}

void branch_in_last_step(Rank& rank) {
  Trainer trainer(rank, kOptions);
  train(trainer, kSteps - 1);
}

void missing_backward(Rank& rank) {
  Trainer trainer(rank, kOptions);
  UnusedFinder finder(trainer);
  for (int step = 0; step < kSteps; ++step) {
    trainer.forward(standard_batch(rank, step));
    if (is_branch(rank, step)) continue;  // BUG: no backward at all, so nothing is marked
    finder.backward();
    trainer.step();
    trainer.loss_item();
  }
}

void find_unused_parameters(Rank& rank) {
  Trainer trainer(rank, kOptions);
  train_finding_unused(trainer, kOddStep);
  verify(trainer, kOddStep);
}

// Bucket 0 is complete without the encoder.
Place second_bucket(int step) {
  return gradients_at(Wire{kOptions}.backward(step) + 1, "gradients/bucket 1");
}
Expectation second_bucket_waits(int ranks) {
  return one_has_left(ranks, ranks - 1, second_bucket(kOddStep));
}
Expectation second_bucket_waits_at_the_end(int ranks) {
  return one_has_left(ranks, ranks - 1, second_bucket(kSteps - 1));
}
// A whole step short in the end, used map included.
Expectation last_step_waits(int ranks) {
  return one_has_left(ranks, ranks - 1, gradients_at(Wire{kOptions, 1}.begin(kSteps - 1)));
}

constexpr Variant kVariants[] = {
    {"all_used", control, "every parameter gets a gradient in every step", all_used},
    {"finds_nothing", control,
     "the same with find_unused_parameters: what it costs where nothing is unused", finds_nothing},
    {"branch_on_one_rank", broken,
     "the last rank trains the head only in one step; its next forward throws", branch_on_one_rank,
     second_bucket_waits},
    {"branch_in_last_step", broken, "the same in the last step: nobody throws", branch_in_last_step,
     second_bucket_waits_at_the_end},
    {"missing_backward", remedy,
     "find_unused_parameters where a rank skips the backward pass: hangs as before",
     missing_backward, last_step_waits},
    {"find_unused_parameters", fix,
     "unreached parameters are ready with zeros; one more all-reduce a step",
     find_unused_parameters},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a branch leaves layers without a gradient on one rank",
    .claims = {"E6"},
    .variants = kVariants,
};
