// A job speaks MPI and NCCL, and waits on the host in one while its stream waits in the other.
//
// Lesson    MPI waits on the host, NCCL on a stream, and neither knows of the other. As soon as the
//           host waits for its stream both are one chain: who is in an MPI call issues no NCCL
//           call, and who waits for a stream makes no MPI call, not even to move a message it has
//           begun.
// Watch     Each library shows half of it: NCCL a rank that has not come to the all-reduce, MPI one
//           that has not come to the barrier. Both look like a slow rank. A rank that waits in MPI
//           spins at 100 % of a core and looks busy. Small messages are on their way when MPI_Isend
//           returns; large ones hang.
// Cure      One order of barriers and synchronizes on all ranks. Or start what may wait
//           (MPI_Ibarrier, MPI_Irecv), then look at the stream and at MPI in turn. Or let one
//           library do both: a message in the group of the all-reduce has no order of its own.
// In PyTorch
//     if rank % 2 == 0: comm.Barrier(); dist.all_reduce(x); torch.cuda.synchronize()   # bug: even
//     else: dist.all_reduce(x); torch.cuda.synchronize(); comm.Barrier()               # and odd
//     dist.all_reduce(x); torch.cuda.synchronize(); comm.Barrier()        # cure: one order
//     request = comm.Ibarrier(); dist.all_reduce(x)                       # cure: wait in neither
//     while not (request.Test() and torch.cuda.current_stream().query()): pass
// Seen in   NCCL's guide, "Using NCCL within an MPI Program" (it warns of just this), horovod#1099
//           (MPI and NCCL in different order on the ranks)

#include <mpi.h>

#include <vector>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kTag = 7;
constexpr int kLarge = 16 << 20;  // bytes, far above what MPI sends before it is asked for

// All ranks average gradients by NCCL; metrics and epochs go by MPI.
struct Job {
  explicit Job(Rank& of) : rank(of), metric(static_cast<float>(of.rank())) {
    MPI_Init(nullptr, nullptr);
    gradients = open_channel(of, "world", of.stream());
    of.report().begin_steps();
  }

  bool is_last() const { return rank.is_last(); }
  void reduce(int step) const {
    all_reduce(gradients, "gradients", static_cast<float>(rank.rank() + step));
  }
  // Waits for the stream.
  void read(int step) const { check_sum(rank, gradients, step); }
  [[gnu::noinline]] void barrier() const {
    const Label label("epoch/barrier");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // The metric of `from`, or of anyone, at rank 0.
  [[gnu::noinline]] void receive_metric(int from) {
    const Label label("metrics/receive");
    float other = -1;
    MPI_Status status;
    MPI_Recv(&other, 1, MPI_FLOAT, from, kTag, MPI_COMM_WORLD, &status);
    check_metric(other, status.MPI_SOURCE);
  }
  void send_metric() const {
    const Label label("metrics/send");
    MPI_Send(&metric, 1, MPI_FLOAT, 0, kTag, MPI_COMM_WORLD);
  }
  void check_metric(float got, int from) const {
    rank.report().numbers(got == static_cast<float>(from), "exact sums, and the sender's number");
  }
  bool stream_is_done() const {
    const cudaError_t state = cudaStreamQuery(gradients.stream);
    if (state != cudaErrorNotReady) check(state);
    return state == cudaSuccess;
  }
  void step_done() const { rank.report().step_done(); }
  void close() const {
    close_communicator(gradients.communicator);
    MPI_Finalize();
  }

  Rank& rank;
  float metric;
  Channel gradients;
};

bool is_done(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

void await(MPI_Request& request) {
  // NOLINTNEXTLINE(*MPI-Checker): null on the ranks that have begun nothing
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Each step has an all-reduce and a barrier; some ranks take them the other way round.
void run_steps(Rank& rank, bool barrier_first) {
  const Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (barrier_first) job.barrier();
    job.reduce(step);
    job.read(step);
    if (!barrier_first) job.barrier();
    job.step_done();
  }
  job.close();
}

void barrier_first(Rank& rank) { run_steps(rank, true); }

// BUG: even ranks are in the barrier, odd ranks wait for their streams, and these for even ranks
void barrier_on_either_side(Rank& rank) { run_steps(rank, rank.rank() % 2 == 0); }

void reduction_first(Rank& rank) { run_steps(rank, false); }  // FIX: one order

void barrier_started(Rank& rank) {
  const Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Request barrier = MPI_REQUEST_NULL;
    const bool first = rank.rank() % 2 == 0;
    if (first) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    job.reduce(step);
    if (!first) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    while (!is_done(barrier) || !job.stream_is_done()) {
    }  // FIX: waits in neither
    job.read(step);
    job.step_done();
  }
  job.close();
}

// Rank 0 wants the last rank's metric before it takes part in the all-reduce.
void receive_before_reduction(Rank& rank) {
  Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0) job.receive_metric(rank.world_size() - 1);
    job.reduce(step);
    job.read(step);  // BUG: the last rank's stream waits for rank 0, and its message is behind that
    if (job.is_last()) job.send_metric();
    job.step_done();
  }
  job.close();
}

void receive_behind_reduction(Rank& rank) {
  Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    job.reduce(step);
    job.read(step);
    if (job.is_last()) job.send_metric();
    if (rank.rank() == 0) job.receive_metric(rank.world_size() - 1);
    job.step_done();
  }
  job.close();
}

void receive_of_anything(Rank& rank) {
  Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() > 0 && !job.is_last()) job.send_metric();
    if (rank.rank() == 0) {
      for (int from = 1; from < rank.world_size(); ++from) job.receive_metric(MPI_ANY_SOURCE);
    }
    job.reduce(step);
    job.read(step);
    if (job.is_last()) job.send_metric();  // BUG: behind the stream, on one rank alone
    job.step_done();
  }
  job.close();
}

void receive_started(Rank& rank) {
  const Job job(rank);
  const int last = rank.world_size() - 1;
  for (int step = 0; step < kSteps; ++step) {
    float other = -1;
    MPI_Request metric = MPI_REQUEST_NULL;
    if (rank.rank() == 0) MPI_Irecv(&other, 1, MPI_FLOAT, last, kTag, MPI_COMM_WORLD, &metric);
    job.reduce(step);  // FIX: comes before anything is waited for
    job.read(step);
    if (job.is_last()) job.send_metric();
    await(metric);
    if (rank.rank() == 0) job.check_metric(other, last);
    job.step_done();
  }
  job.close();
}

// FIX: the metric travels in the group of the all-reduce, and all of it is one unit of the stream
void metric_in_the_group(Rank& rank) {
  const Job job(rank);
  const int last = rank.world_size() - 1;
  const Channel& channel = job.gradients;
  const Buffer<float> metric(1, channel.stream);
  const PinnedBuffer<float> host(1);
  host[0] = job.metric;
  check(cudaMemcpyAsync(metric.data(), host.data(), sizeof(float), cudaMemcpyHostToDevice,
                        channel.stream));
  for (int step = 0; step < kSteps; ++step) {
    const Label label("gradients and metrics");
    check(ncclGroupStart());
    if (rank.rank() == 0) {
      check(ncclRecv(metric.data(), 1, ncclFloat32, last, channel.communicator, channel.stream));
    }
    if (job.is_last()) {
      check(ncclSend(metric.data(), 1, ncclFloat32, 0, channel.communicator, channel.stream));
    }
    job.reduce(step);
    check(ncclGroupEnd());
    job.read(step);
    job.step_done();
  }
  check(cudaMemcpyAsync(host.data(), metric.data(), sizeof(float), cudaMemcpyDeviceToHost,
                        channel.stream));
  rank.wait_for(channel.stream);
  job.check_metric(host[0], rank.rank() == 0 ? last : rank.rank());
  job.close();
}

// Gradients in two parts. Rank 0 asks for the next learning rate between them.
void broadcast_between_parts(Rank& rank) {
  const Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    float learning_rate = job.is_last() ? 0.5F : 0.0F;
    const auto broadcast = [&] {
      const Label label("schedule/broadcast");
      MPI_Bcast(&learning_rate, 1, MPI_FLOAT, rank.world_size() - 1, MPI_COMM_WORLD);
    };
    job.reduce(step);
    job.read(step);
    if (rank.rank() == 0) broadcast();  // BUG: until it returns nobody feeds rank 0's stream
    job.reduce(step);
    job.read(step);
    if (rank.rank() > 0) broadcast();
    job.step_done();
  }
  job.close();
}

// The last rank begins to send something large to rank 0, which wants it before the all-reduce.
// How the sender waits for its stream is what differs.
template <typename Wait>
void pass_large_message(Rank& rank, Wait wait) {
  const Job job(rank);
  std::vector<unsigned char> message(rank.rank() == 0 || job.is_last() ? kLarge : 0);
  for (int step = 0; step < kSteps; ++step) {
    const auto mark = static_cast<unsigned char>(step + 1);
    MPI_Request sent = MPI_REQUEST_NULL;
    if (job.is_last()) {
      message.back() = mark;
      MPI_Isend(message.data(), kLarge, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &sent);
    }
    if (rank.rank() == 0) {
      const Label label("checkpoint/receive");
      MPI_Recv(message.data(), kLarge, MPI_BYTE, rank.world_size() - 1, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      rank.report().numbers(message.back() == mark, "exact sums, and the message's last byte");
    }
    job.reduce(step);
    wait(job, sent);
    job.read(step);
    await(sent);
    job.step_done();
  }
  job.close();
}

// BUG: outside of MPI the sender's host does not move its message
void large_message_left_alone(Rank& rank) {
  pass_large_message(rank, [](const Job&, MPI_Request&) {});
}

// BUG: asking the stream instead of waiting for it moves no message either
void stream_asked_alone(Rank& rank) {
  pass_large_message(rank, [](const Job& job, MPI_Request&) {
    while (!job.stream_is_done()) {
    }
  });
}

void message_waited_for(Rank& rank) {
  pass_large_message(rank, [](const Job&, MPI_Request& sent) { await(sent); });
}

void stream_and_message_asked(Rank& rank) {
  pass_large_message(rank, [](const Job& job, MPI_Request& sent) {
    while (!is_done(sent) || !job.stream_is_done()) {  // FIX: each look moves the message
    }
  });
}

const Place kBarrier{"epoch/barrier", Operation::mpi_barrier, "MPI_COMM_WORLD", 0, "barrier"};
const Place kGradients = reduction_at("gradients", kFirstSlot);

Expectation crossed(int ranks) { return hosts_crossed(ranks, kBarrier, kGradients); }

// Rank 0 is in MPI, all others wait for it in `reduction`. Of two none differs from most.
Expectation rank_0_in_mpi(int ranks, const Place& in_mpi, const Place& reduction) {
  Expectation whole = ranks == 2 ? deadlock(Cause::cycle).culprits({0, 1})
                                 : deadlock(Cause::missing_rank).culprits({0});
  return whole.waiting({0}, in_mpi).waiting(all_but(ranks, 0), reduction);
}
Expectation in_receive(int ranks) {
  return rank_0_in_mpi(
      ranks,
      {"metrics/receive", Operation::mpi_recv, "MPI_COMM_WORLD", std::nullopt, "receive_metric"},
      kGradients);
}
Expectation in_broadcast(int ranks) {
  return rank_0_in_mpi(ranks, {"schedule/broadcast", Operation::mpi_bcast, "MPI_COMM_WORLD", 0},
                       reduction_at("gradients", kFirstSlot + 1));
}

// MPI does not promise that the message stays where it is, so nothing is proven.
Expectation message_lies(Cause cause, const std::vector<int>& culprits) {
  return stall(cause).culprits(culprits).waiting(
      {0}, {"checkpoint/receive", Operation::mpi_recv, "MPI_COMM_WORLD"});
}
Expectation left_alone(int ranks) {
  return ranks == 2 ? message_lies(Cause::cycle, {0, 1}) : message_lies(Cause::missing_rank, {0});
}
Expectation asked_alone(int ranks) { return message_lies(Cause::host_stuck, {ranks - 1}); }

constexpr Variant kVariants[] = {
    {"barrier_first", control, "a barrier of MPI, then an all-reduce of NCCL, on all ranks",
     barrier_first},
    {"barrier_on_either_side", broken, "even ranks: barrier, all-reduce; odd ranks the other way",
     barrier_on_either_side, crossed},
    {"reduction_first", fix, "the all-reduce, its stream, then the barrier, on all ranks",
     reduction_first},
    {"barrier_started", fix, "either order, MPI_Ibarrier, and a look at both in turn",
     barrier_started},
    {"receive_behind_reduction", control, "a message of MPI behind the all-reduce, on both sides",
     receive_behind_reduction},
    {"receive_before_reduction", broken, "rank 0 receives what is sent behind the all-reduce",
     receive_before_reduction, in_receive},
    {"receive_of_anything", broken, "rank 0 collects from anyone, and one sends too late",
     receive_of_anything, in_receive},
    Variant{"receive_started", fix, "MPI_Irecv, the all-reduce and its stream, then MPI_Wait",
            receive_started}
        .against("receive_behind_reduction"),
    Variant{"metric_in_the_group", fix, "the message goes by NCCL, in the group of the all-reduce",
            metric_in_the_group}
        .against("receive_behind_reduction"),
    {"broadcast_between_parts", broken, "rank 0 is in MPI_Bcast between two all-reduces",
     broadcast_between_parts, in_broadcast},
    {"message_waited_for", control, "a large message: MPI_Wait before the stream is waited for",
     message_waited_for},
    {"large_message_left_alone", broken, "a sender in cudaStreamSynchronize moves no message",
     large_message_left_alone, left_alone},
    {"stream_asked_alone", remedy, "it asks its stream again and again: the message stays",
     stream_asked_alone, asked_alone, 2, 4,
     "who spins is told from who is slow only after a core was its own for the stall limit"},
    Variant{"stream_and_message_asked", fix, "it asks the stream and MPI_Test in turn",
            stream_and_message_asked}
        .against("message_waited_for"),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks wait for each other through MPI, NCCL and a stream at once",
    .launcher = "mpiexec",
    .variants = kVariants,
};
