// On one rank, gradients become ready in a different order, and each bucket is sent once it is
// full.
//
// Lesson    The order of collectives must not depend on data. Here the backward pass runs two
//           branches in the reverse of their forward order, and that order may depend on the batch.
//           A reducer that sends each bucket as soon as it is full then sends the buckets in a
//           different order on one rank.
// Watch     Buckets of different sizes hang. Buckets of the same size do not: one branch's
//           gradients are added to the other's, without an error, and the model learns nonsense.
// Cure      Send buckets in a fixed order, as DDP does: a full bucket waits until all before it are
//           sent. Horovod instead negotiates which gradients are ready on all ranks, at the price
//           of one round trip each.
// In PyTorch
//     for p in model.parameters():                                # bug: sent as they come
//         p.register_post_accumulate_grad_hook(lambda p: dist.all_reduce(p.grad))
//     model = DistributedDataParallel(model)                      # cure: one order for all ranks
// Seen in   deepspeedai/DeepSpeed#1186, pytorch#62751 (ranks' ready order is logged for this),
//           pytorch#35137; Li et al. 2020, "PyTorch Distributed", figure 3(a)

#include <array>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/ddp/process_group.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;
constexpr int kBuckets = 2;  // one per branch
constexpr std::array<const char*, kBuckets> kLabels{"gradients/audio", "gradients/text"};

enum class Order { as_they_come, fixed };

class Buckets {
 public:
  Buckets(Rank& rank, Order order, std::array<int, kBuckets> sizes)
      : world(rank, "world"), host_(kBuckets), order_(order) {
    for (std::size_t branch = 0; branch < kBuckets; ++branch) {
      values_[branch] = Buffer<float>(static_cast<std::size_t>(sizes[branch]), rank.stream());
    }
    world.reduce_on_host(0, ncclSum);
    rank.report().begin_steps();
  }

  // The hook of a branch: its gradient is ready on the compute stream. All its elements are equal.
  void ready(std::size_t branch, float gradient) {
    check(kernels::launch_fill(values_[branch].data(),
                               static_cast<std::int64_t>(values_[branch].size()), gradient,
                               world.rank().stream()));
    is_ready_[branch] = true;
    if (order_ == Order::as_they_come) return launch(branch);      // BUG: orders may differ by rank
    while (next_ < kBuckets && is_ready_[next_]) launch(next_++);  // FIX: in order of index
  }

  // Reads the sums on the host, and begins the next step.
  std::array<float, kBuckets> finish() {
    const cudaStream_t stream = world.rank().stream();
    world.compute_waits();
    for (std::size_t branch = 0; branch < kBuckets; ++branch) {
      check(cudaMemcpyAsync(&host_[branch], values_[branch].data(), sizeof(float),
                            cudaMemcpyDeviceToHost, stream));
    }
    world.rank().wait_for(stream);
    is_ready_ = {};
    next_ = 0;
    return {host_[0], host_[1]};
  }

  ProcessGroup world;

 private:
  [[gnu::noinline]] void launch(std::size_t branch) {
    const Label label(kLabels[branch]);
    const Buffer<float>& bucket = values_[branch];
    world.after_compute();
    check(ncclAllReduce(bucket.data(), bucket.data(), bucket.size(), ncclFloat32, ncclSum,
                        world.communicator(), world.stream()));
  }

  std::array<Buffer<float>, kBuckets> values_;
  PinnedBuffer<float> host_;
  std::array<bool, kBuckets> is_ready_{};
  std::size_t next_ = 0;
  Order order_;
};

// In the odd step the last rank's text gradients come first.
void train(Rank& rank, Order order, std::array<int, kBuckets> sizes, bool swaps = true) {
  Buckets buckets(rank, order, sizes);
  for (int step = 0; step < kSteps; ++step) {
    const bool swapped = swaps && rank.is_last() && step == kOddStep;
    for (int at = 0; at < kBuckets; ++at) {
      const int branch = swapped ? kBuckets - 1 - at : at;
      buckets.ready(static_cast<std::size_t>(branch),
                    static_cast<float>(rank.rank() + step + 100 * branch));
    }
    const std::array<float, kBuckets> sums = buckets.finish();
    const bool right = sums[0] == sum_over_ranks(rank.world_size(), step) &&
                       sums[1] == sum_over_ranks(rank.world_size(), step + 100);
    rank.report().numbers(right, "sums of small integers, exact");
    rank.report().step_done();
  }
  buckets.world.close();
}

constexpr std::array<int, kBuckets> kDifferent{256, 512};
constexpr std::array<int, kBuckets> kEqual{256, 256};

void same_order(Rank& rank) { train(rank, Order::as_they_come, kDifferent, false); }
void as_they_come(Rank& rank) { train(rank, Order::as_they_come, kDifferent); }
void as_they_come_same_size(Rank& rank) { train(rank, Order::as_they_come, kEqual); }
void fixed_order(Rank& rank) { train(rank, Order::fixed, kDifferent); }

Place launch_at(const char* label) {
  return {label, Operation::all_reduce, "world", first_in_step(kOddStep)};
}
Expectation sizes_disagree(int ranks) {
  return calls_differ(ranks, ranks - 1, launch_at("gradients/text"), launch_at("gradients/audio"));
}
Expectation gradients_are_mixed(int ranks) {
  return corrupts(Cause::mismatch)
      .culprits(fewer_or_all(ranks, {ranks - 1}))
      .waiting({ranks - 1}, launch_at("gradients/text"))
      .waiting(all_but(ranks, ranks - 1), launch_at("gradients/audio"));
}

constexpr Variant kVariants[] = {
    {"same_order", control, "sent as they come, in the same order on all ranks", same_order},
    {"as_they_come", broken, "the last rank's order differs once, and the sizes differ",
     as_they_come, sizes_disagree},
    {"as_they_come_same_size", broken, "buckets of one size: no hang, but wrong numbers",
     as_they_come_same_size, gradients_are_mixed},
    {"fixed_order", fix, "a bucket is sent when all before it are", fixed_order},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank fills its buckets in another order, and sends each when it is full",
    .claims = {"A4"},
    .variants = kVariants,
};
