// One rank replays its captured step once more than the others.
//
// Lesson    A graph that contains collectives is itself a collective: each launch runs all of them.
//           All ranks must launch it the same number of times.
// Watch     The ranks made their calls once, at capture. A tool that counts NCCL calls sees the
//           same number on all ranks; one has to count the launches of the graph. If the others'
//           next call has the same size, nothing hangs, and the numbers are wrong.
// Cure      Agree on the number of replays before the loop.
// In PyTorch
//     for x in loader: static_x.copy_(x); graph.replay()         # bug: one rank has more batches
//     n = torch.tensor(len(loader), device=device)
//     dist.all_reduce(n, op=dist.ReduceOp.MIN)                   # cure: the fewest of all ranks
//     for x in itertools.islice(loader, n.item()): static_x.copy_(x); graph.replay()
// Seen in   NCCL's guide, "Using NCCL with CUDA Graphs"; field note C (unequal step counts)

#include <algorithm>
#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kReplays = 4;
constexpr std::size_t kValidation = kChannelCount / 2;  // not the size of the gradients

// A step sums this rank's number over the ranks.
cudaGraphExec_t capture_step(Rank& rank, const Channel& channel) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  check(cudaStreamBeginCapture(channel.stream, cudaStreamCaptureModeThreadLocal));
  all_reduce(channel, "gradients", static_cast<float>(rank.rank()));
  check(cudaStreamEndCapture(channel.stream, &graph));
  check(cudaGraphInstantiate(&step, graph, 0));
  check(cudaGraphDestroy(graph));  // the communicator's destruction waits for every graph with it
  return step;
}

void replay(Rank& rank, const Channel& channel, cudaGraphExec_t step) {
  const Label label("step/replay");
  check(cudaGraphLaunch(step, channel.stream));
  check_sum(rank, channel, 0);
  rank.report().step_done();
}

[[gnu::noinline]] void validate(Rank& rank, const Channel& channel) {
  const Label label("validation");
  check(ncclAllReduce(channel.data.data(), channel.data.data(), kValidation, ncclFloat32, ncclSum,
                      channel.communicator, channel.stream));
  rank.wait_for(channel.stream);
}

void train(Rank& rank, int replays) {
  const Channel channel = open_channel(rank, "world");
  const cudaGraphExec_t step = capture_step(rank, channel);
  rank.report().begin_steps();
  for (int at = 0; at < replays; ++at) replay(rank, channel, step);
  validate(rank, channel);
  check(cudaGraphExecDestroy(step));  // before the communicator, which the graph still refers to
  close_communicator(channel.communicator);
}

int replays_of(const Rank& rank) { return rank.is_last() ? kReplays + 1 : kReplays; }

void equal_replays(Rank& rank) { train(rank, kReplays); }

// BUG: the last rank has one more batch
void one_replay_more(Rank& rank) { train(rank, replays_of(rank)); }

void agreed_replays(Rank& rank) {
  const std::vector<int> all = rank.rendezvous().exchange(replays_of(rank));
  train(rank, *std::min_element(all.begin(), all.end()));  // FIX: the fewest of all ranks
}

Expectation last_is_in_its_graph(int ranks) {
  return calls_differ(ranks, ranks - 1,
                      {.label = "gradients",
                       .operation = Operation::all_reduce,
                       .communicator = "world",
                       .caller = "all_reduce"},
                      {.label = "validation",
                       .operation = Operation::all_reduce,
                       .communicator = "world",
                       .caller = "validate"});
}

constexpr Variant kVariants[] = {
    {"equal_replays", control, "all ranks replay equally often", equal_replays},
    {"one_replay_more", broken, "the last rank replays once more", one_replay_more,
     last_is_in_its_graph},
    {"agreed_replays", fix, "all replay as often as the rank with the fewest batches",
     agreed_replays},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank replays a captured step once more than the others",
    .variants = kVariants,
};
