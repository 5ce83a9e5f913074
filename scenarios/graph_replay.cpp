// One rank replays its captured step once more than the others.
//
// Lesson    A graph that contains collectives is a collective: every launch takes part in all of
// them. The
//           number of launches must be the same on all ranks, as the number of calls must be.
// Watch     The calls were made once, at capture. A tool that counts NCCL calls sees the same
// number on all
//           ranks, and the rank that hangs stands in a graph, of which no record shows the inside.
//           If the next call of the others has the same size, nothing hangs and the numbers are
//           wrong.
// Cure      Agree on the number of replays before the loop.
// Seen in   NCCL's guide, "Using NCCL with CUDA Graphs"; field note C (unequal step counts)
//
// Graphs are not simulated. The verdicts below are declared from NCCL's rules; no run has confirmed
// them yet.

#include <algorithm>
#include <string>

#include "kernels/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kReplays = 4;
constexpr std::size_t kValidation = kChannelCount / 2;  // not the size of the gradients

// A step: this rank's number to the gradients, and their sum.
cudaGraphExec_t capture_step(Rank& rank, const Channel& channel) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  check(cudaStreamBeginCapture(channel.stream, cudaStreamCaptureModeThreadLocal));
  all_reduce(channel, "gradients", static_cast<float>(rank.rank()));
  check(cudaStreamEndCapture(channel.stream, &graph));
  check(cudaGraphInstantiate(&step, graph, 0));
  return step;
}

void replay(Rank& rank, const Channel& channel, cudaGraphExec_t step) {
  const Label label("step/replay");
  check(cudaGraphLaunch(step, channel.stream));
  const bool right = read(rank, channel) == sum_over_ranks(rank.world_size(), 0);
  rank.report().numbers(right, "sums of small integers, exact");
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

// BUG: the last rank's data has one batch more
void one_replay_more(Rank& rank) { train(rank, replays_of(rank)); }

void agreed_replays(Rank& rank) {
  int fewest = replays_of(rank);
  for (const std::string& replays : rank.rendezvous().exchange(std::to_string(fewest))) {
    fewest = std::min(fewest, std::stoi(replays));  // FIX: the fewest of all ranks
  }
  train(rank, fewest);
}

Expectation last_is_in_its_graph(int ranks) {
  return stall(Cause::host_stuck)
      .or_on(Backend::cuda, Outcome::deadlock)
      .or_on(Backend::cuda, Outcome::corrupts)
      .or_on(Backend::cuda, Outcome::fails)
      .culprits({ranks - 1})
      .waiting_in("validation")
      .operation(Operation::all_reduce)
      .on("world")
      .called_from("validate")
      .by(all_but(ranks, ranks - 1));
}
Expectation all_well(int) { return completes(); }

constexpr const char* kGpu = "CUDA graphs are not simulated";

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank replays a captured step once more than the others",
    .claims = {},
    .ranks = 4,
    .variants =
        {
            {"equal_replays", Role::control, "all ranks replay equally often", equal_replays,
             all_well, 2, 16, "", kGpu},
            {"one_replay_more", Role::broken, "the last rank replays once more", one_replay_more,
             last_is_in_its_graph, 2, 16, "", kGpu},
            {"agreed_replays", Role::fix,
             "all ranks replay as often as the one with the fewest batches", agreed_replays,
             all_well, 2, 16, "", kGpu},
        },
};
