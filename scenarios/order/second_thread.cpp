// A helper thread on one rank makes its own collective call.
//
// Lesson    Collectives have one order per communicator, whichever thread calls them. A thread that
//           only one rank has, or that wakes at a different moment on each rank, cannot take part
//           in that order.
// Watch     The helper's call pairs with the others' gradients, and its own rank's gradients come
//           one slot late. In the field this is a race: a progress bar that refreshes on a timer
//           hangs the job once a day. Here the loop waits until the helper has called, so it always
//           hangs.
// Cure      Let the helper only read what the training thread has stored for it. Or give all ranks
//           the helper, with its own communicator, and call it in the same step. The order of its
//           calls and the gradients must also be equal on all ranks: here both communicators share
//           a stream.
// In PyTorch
//     if rank == 0: Timer(1, lambda: bar.show(dist.all_reduce(metric))).start()      # bug
//     last_metric = metric.item()                     # cure: training communicates, the bar reads
//     bar_group = dist.new_group()                    # or: a group of its own, on all ranks
// Seen in   Lightning#19604 (a metric logged on one rank); pytorch#175145 (two threads, two groups)

#include <future>
#include <thread>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kRefreshStep = 3;  // the step in which the progress bar draws

// One number that a thread averages and draws.
struct Metric {
  Metric(ncclComm_t on, cudaStream_t in) : communicator(on), stream(in), value(1, in) {}
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> value;
};

[[gnu::noinline]] void reduce_metric(const Metric& metric) {
  const Label label("progress/metric");
  check(ncclAllReduce(metric.value.data(), metric.value.data(), 1, ncclFloat32, ncclSum,
                      metric.communicator, metric.stream));
}

// Draws on a new thread. Returns when that thread has called its collective.
std::thread draw(const Metric& metric) {
  int device = 0;
  check(cudaGetDevice(&device));
  std::promise<void> called;
  std::future<void> is_called = called.get_future();
  std::thread helper([&metric, device, called = std::move(called)]() mutable {
    check(cudaSetDevice(device));
    reduce_metric(metric);
    called.set_value();
    check(cudaStreamSynchronize(metric.stream));
  });
  is_called.wait();
  return helper;
}

// Trains. In the refresh step, a helper first averages and draws `metric`, unless it is null.
void train(Rank& rank, const Channel& channel, const Metric* metric) {
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    std::thread helper;
    if (metric != nullptr && step == kRefreshStep) helper = draw(*metric);
    train_step(rank, channel, step);
    if (helper.joinable()) helper.join();
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void no_helper(Rank& rank) { train(rank, open_channel(rank, "world"), nullptr); }

void metric_on_rank_zero(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  const Metric metric(channel.communicator, open_stream());
  train(rank, channel, rank.rank() == 0 ? &metric : nullptr);  // BUG: only rank 0 calls it
}

void own_communicator_on_all_ranks(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  // FIX: all ranks draw, on a separate communicator and the gradients' stream: one order on each
  // GPU
  const Metric metric(open_communicator(rank, "progress"), channel.stream);
  train(rank, channel, &metric);
  close_communicator(metric.communicator);
}

void reads_what_training_left(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  std::promise<float> last_sum;
  std::thread helper([&] {  // FIX: the training thread communicates, and the helper only reads
    rank.report().figure("metric_shown", static_cast<double>(last_sum.get_future().get()));
  });
  train(rank, channel, nullptr);
  last_sum.set_value(channel.host[0]);
  helper.join();
}

Expectation metric_meets_gradients(int ranks) {
  return calls_differ(ranks, 0,
                      {.label = "progress/metric",
                       .operation = Operation::all_reduce,
                       .communicator = "world",
                       .caller = "reduce_metric"},
                      reduction_at("gradients", in_step(kRefreshStep)));
}

constexpr Variant kVariants[] = {
    {"no_helper", control, "training without a progress bar", no_helper},
    {"metric_on_rank_zero", broken,
     "rank 0's progress bar reduces a metric on the gradients' communicator", metric_on_rank_zero,
     metric_meets_gradients},
    {"reads_what_training_left", fix, "the progress bar shows a number that training has reduced",
     reads_what_training_left},
    {"own_communicator_on_all_ranks", fix,
     "all ranks' progress bars reduce it, on a communicator of their own and in one order",
     own_communicator_on_all_ranks},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a progress bar's thread on rank 0 averages a metric while all ranks train",
    .variants = kVariants,
};
