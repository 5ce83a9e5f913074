// A helper thread on one rank makes a collective of its own.
//
// Lesson    The order of collectives is an order per communicator, whichever thread calls. A thread
//           that only one rank has, or that wakes at another moment on each, cannot take part in
//           it.
// Watch     The helper's call pairs with the others' gradients, and its own rank's gradients come
//           one too late. In the field it is a race: the progress bar that refreshes on a timer
//           hangs the job once a day. Here the loop waits until the helper has called, so the bad
//           moment always comes.
// Cure      Helpers read what the training thread has left for them; or the helper exists on all
//           ranks, with a communicator and a stream of its own, and is asked on all of them at the
//           same step.
// In PyTorch
//     if rank == 0: Timer(1, lambda: bar.show(dist.all_reduce(metric))).start()      # bug
//     last_metric = metric.item()                     # cure: training communicates, the bar reads
//     bar_group = dist.new_group()                    # or: a group of its own, on all ranks
// Seen in   Lightning#19604 (a metric logged on one rank); pytorch#175145 (two threads, two groups)

#include <atomic>
#include <future>
#include <thread>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kRefreshStep = 3;  // where the progress bar draws

// A metric of one number, averaged by a thread that draws it.
struct Metric {
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> value;
};

[[gnu::noinline]] void reduce_metric(const Metric& metric) {
  const Label label("progress/metric");
  check(ncclAllReduce(metric.value.data(), metric.value.data(), 1, ncclFloat32, ncclSum,
                      metric.communicator, metric.stream));
}

// Draws on a thread of its own; returns when the thread's collective has been called.
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

void no_helper(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void with_progress_bar(Rank& rank, const Channel& channel, const Metric& metric, bool draws) {
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    std::thread helper;
    if (draws && step == kRefreshStep) helper = draw(metric);
    train_step(rank, channel, step);
    if (helper.joinable()) helper.join();
    rank.report().step_done();
  }
}

void metric_on_rank_zero(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  const cudaStream_t stream = open_stream();
  const Metric metric{channel.communicator, stream, Buffer<float>(1, stream)};
  with_progress_bar(rank, channel, metric, rank.rank() == 0);  // BUG: a call that the others lack
  close_communicator(channel.communicator);
}

void own_communicator_on_all_ranks(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  const cudaStream_t stream = open_stream();
  const Metric metric{open_communicator(rank, "progress"), stream, Buffer<float>(1, stream)};
  with_progress_bar(rank, channel, metric, true);  // FIX: all ranks draw, and not on "world"
  close_communicator(metric.communicator);
  close_communicator(channel.communicator);
}

void reads_what_training_left(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  std::atomic<float> last_sum = 0;
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    last_sum = channel.host[0];  // FIX: the training thread communicates, the helper only reads
    if (rank.rank() == 0 && step == kRefreshStep) {
      std::thread helper([&] { rank.report().figure("metric_shown", last_sum); });
      helper.join();
    }
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

Expectation metric_meets_gradients(int ranks) {
  constexpr int kSlot = kFirstSlot + kRefreshStep;
  return calls_differ(ranks, 0,
                      {"progress/metric", Operation::all_reduce, "world", kSlot, "reduce_metric"},
                      reduction_at("gradients", kSlot));
}

constexpr Variant kVariants[] = {
    {"no_helper", control, "training without a progress bar", no_helper},
    {"metric_on_rank_zero", broken,
     "rank 0's progress bar reduces a metric on the gradients' communicator", metric_on_rank_zero,
     metric_meets_gradients},
    {"reads_what_training_left", fix, "the progress bar shows a number that training has reduced",
     reads_what_training_left},
    {"own_communicator_on_all_ranks", fix,
     "all ranks' progress bars reduce it, on a communicator of their own",
     own_communicator_on_all_ranks},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a progress bar's thread on rank 0 averages a metric while all ranks train",
    .variants = kVariants,
};
