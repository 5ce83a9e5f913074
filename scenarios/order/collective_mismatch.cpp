// At the same place in the sequence of calls, one rank makes a different call from the others.
//
// Lesson    NCCL pairs calls by their number on the communicator and by nothing else. It does not
//           compare the calls: neither their kind nor their count, type, root or reduction.
// Watch     Each kind of mismatch ends in its own way. A different call or size never completes. A
//           different reduction, or a different type of the same size, completes with wrong numbers
//           and no error. A small broadcast with two roots also completes, and each root keeps its
//           own data. A large one never completes. NCCL's guide calls all of this undefined, so a
//           GPU may also fail.
// Cure      Derive counts and types from values that are equal on all ranks: agree on the largest
//           count, then pad. To find a mismatch, compare the calls before making them. That turns
//           the hang into an error, at the price of one exchange per call.
// In PyTorch
//     dist.all_reduce(scores)                               # bug: another length on each rank
//     most = torch.tensor(len(scores), device=device)
//     dist.all_reduce(most, op=dist.ReduceOp.MAX)           # cure: agree on the length, and pad
//     dist.all_reduce(F.pad(scores, (0, most.item() - len(scores))))
//     # TORCH_DISTRIBUTED_DEBUG=DETAIL compares all calls before they are made
// Seen in   NCCL's guide, "Collective Operations" (same count and datatype on all ranks, else
//           undefined); pytorch's ProcessGroupWrapper exists for it

#include <algorithm>
#include <stdexcept>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;  // the step in which the last rank differs
constexpr int kCount = kChannelCount;
constexpr int kLargeCount = 4 << 20;  // 16 MiB: fits no buffer

enum class Call { all_reduce, broadcast };

// All arguments that must agree.
struct Shape {
  Call call = Call::all_reduce;
  int count = kCount;
  ncclDataType_t type = ncclFloat32;
  int root = 0;
  ncclRedOp_t reduction = ncclSum;
  bool operator==(const Shape&) const = default;
};

[[gnu::noinline]] void make_call(const Channel& channel, const Shape& shape) {
  const Label label("metric/collective");
  float* data = channel.data.data();
  const auto count = static_cast<std::size_t>(shape.count);
  check(shape.call == Call::all_reduce
            ? ncclAllReduce(data, data, count, shape.type, shape.reduction, channel.communicator,
                            channel.stream)
            : ncclBroadcast(data, data, count, shape.type, shape.root, channel.communicator,
                            channel.stream));
}

Channel open(Rank& rank) {
  Channel channel = open_channel(rank, "world");
  channel.data.reserve(kLargeCount, channel.stream);
  rank.report().begin_steps();
  return channel;
}

void fill(const Channel& channel, float mine) {
  check(kernels::launch_fill(channel.data.data(), kCount, mine, channel.stream));
}

// Checks the last number: if a call of half the size passes, the first numbers are right.
void finish(Rank& rank, const Channel& channel, const Shape& shape, int step) {
  const float sum = sum_over_ranks(rank.world_size(), step);
  const float right = shape.call == Call::all_reduce ? sum : static_cast<float>(shape.root + step);
  rank.report().numbers(read(rank, channel, kCount - 1) == right,
                        "the call that most ranks make, exact");
  rank.report().step_done();
}

void train(Rank& rank, const Shape& usual, const Shape& odd) {
  const Channel channel = open(rank);
  for (int step = 0; step < kSteps; ++step) {
    fill(channel, static_cast<float>(rank.rank() + step));
    const bool differs = rank.is_last() && step == kOddStep;
    make_call(channel, differs ? odd : usual);  // BUG: pairs with whatever the others call
    finish(rank, channel, usual, step);
  }
  close_communicator(channel.communicator);
}

void matched(Rank& rank) { train(rank, {}, {}); }
void other_call(Rank& rank) { train(rank, {}, {.call = Call::broadcast}); }
void other_count(Rank& rank) { train(rank, {}, {.count = kCount / 2}); }
void wider_type(Rank& rank) { train(rank, {}, {.count = kCount / 2, .type = ncclFloat64}); }
void other_type(Rank& rank) { train(rank, {}, {.type = ncclInt32}); }
void other_reduction(Rank& rank) { train(rank, {}, {.reduction = ncclMax}); }

void broadcast_with_two_roots(Rank& rank, int count) {
  const Shape usual{.call = Call::broadcast, .count = count};
  Shape odd = usual;
  odd.root = rank.world_size() - 1;
  train(rank, usual, odd);
}
void other_root(Rank& rank) { broadcast_with_two_roots(rank, kCount); }
void other_root_large(Rank& rank) { broadcast_with_two_roots(rank, kLargeCount); }

// In that step the ranks have different numbers of values.
void agreed_count(Rank& rank) {
  const Channel channel = open(rank);
  Buffer<int> device_count(1, channel.stream);
  const PinnedBuffer<int> count(1);
  for (int step = 0; step < kSteps; ++step) {
    count[0] = rank.is_last() && step == kOddStep ? kCount / 2 : kCount;
    {
      const Label label("metric/count");
      check(cudaMemcpyAsync(device_count.data(), count.data(), sizeof(int), cudaMemcpyHostToDevice,
                            channel.stream));
      check(ncclAllReduce(device_count.data(), device_count.data(), 1, ncclInt32, ncclMax,
                          channel.communicator, channel.stream));
      check(cudaMemcpyAsync(count.data(), device_count.data(), sizeof(int), cudaMemcpyDeviceToHost,
                            channel.stream));
      rank.wait_for(channel.stream);
    }
    fill(channel, static_cast<float>(rank.rank() + step));
    make_call(channel, {.count = count[0]});  // FIX: the largest count, the shorter ones padded
    finish(rank, channel, {}, step);
  }
  close_communicator(channel.communicator);
}

void compared_before_call(Rank& rank) {
  const Channel channel = open(rank);
  for (int step = 0; step < kSteps; ++step) {
    const Shape mine{.count = rank.is_last() && step == kOddStep ? kCount / 2 : kCount};
    const std::string text = std::to_string(mine.count);  // the other arguments are equal here
    const auto all = rank.rendezvous().exchange(text);
    if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return one != all[0]; })) {
      throw std::runtime_error("rank " + std::to_string(rank.rank()) + " would reduce " + text +
                               " values and rank 0 " + all[0] + " in step " + std::to_string(step) +
                               ": not called on any rank.");
    }
    fill(channel, static_cast<float>(rank.rank() + step));
    make_call(channel, mine);
    finish(rank, channel, {}, step);
  }
}

Expectation last_never_fits(int ranks, Operation last_calls, Operation others_call) {
  const Place odd{"metric/collective", last_calls, "world", in_step(kOddStep), "make_call"};
  Place usual = odd;
  usual.operation = others_call;
  return mismatched(fewer_or_all(ranks, {ranks - 1})).waiting({}, usual).waiting({}, odd);
}
Expectation call_differs(int ranks) {
  return last_never_fits(ranks, Operation::broadcast, Operation::all_reduce);
}
Expectation size_differs(int ranks) {
  return last_never_fits(ranks, Operation::all_reduce, Operation::all_reduce);
}
// Ranks between the two roots get the first root's data, go on, and wait in the next slot.
Expectation large_root_differs(int ranks) {
  return last_never_fits(ranks, Operation::broadcast, Operation::broadcast);
}
Expectation numbers_differ(int ranks) {
  return corrupts().undefined_on_real_nccl().culprits(fewer_or_all(ranks, {ranks - 1}));
}

constexpr Variant kVariants[] = {
    {"matched", control, "all ranks make the same call", matched},
    {"other_call", broken, "a broadcast among all-reduces", other_call, call_differs},
    {"other_count", broken, "half as many values", other_count, size_differs},
    {"wider_type", broken, "the same number of bytes, but values twice as wide", wider_type,
     numbers_differ},
    {"other_type", broken, "integers among floats of the same size: nothing hangs", other_type,
     numbers_differ},
    {"other_reduction", broken, "a maximum among sums: nothing hangs", other_reduction,
     numbers_differ},
    {"other_root", broken, "two roots of a small broadcast: nothing hangs", other_root,
     numbers_differ},
    {"other_root_large", broken, "two roots of a large broadcast", other_root_large,
     large_root_differs},
    {"agreed_count", fix, "the ranks agree on the largest count, and pad", agreed_count},
    {"compared_before_call", remedy,
     "the ranks compare their calls first: an error instead of a hang", compared_before_call,
     all_fail},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank's call differs from the others' in kind, count, type, root or reduction",
    .variants = kVariants,
};
