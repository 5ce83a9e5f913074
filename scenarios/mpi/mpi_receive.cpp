// Rank 0 waits for an MPI message, and the sender waits for an NCCL all-reduce.
//
// Lesson    If a host waits for its stream between an MPI message and an NCCL collective, the two
//           have an order. Both ends of the message must agree on that order.
// Watch     NCCL shows that rank 0 has not come to the all-reduce. MPI shows a receive whose
//           message nobody has sent. Each looks like a slow rank. A receive from any source names
//           no sender at all.
// Cure      Put the receive and the send on the same side of the all-reduce. Or start the receive
//           (MPI_Irecv) and wait for it after the all-reduce. Or let NCCL do both: a message in the
//           same group as the all-reduce needs no order.
// In PyTorch
//     if rank == 0: comm.recv(source=last)                                # bug: before it here and
//     dist.all_reduce(x); torch.cuda.synchronize()
//     if rank == last: comm.send(metric, dest=0)                          #      after it there
//     if rank == 0: request = comm.irecv(source=last)                     # cure: wait for it later
// Seen in   NCCL's guide, "Using NCCL within an MPI Program"

#include <mpi.h>

#include "scenarios/mpi/job.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// Rank 0 receives the last rank's metric before it takes part in the all-reduce.
void receive_before_reduction(Rank& rank) {
  Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0) job.receive_metric(rank.world_size() - 1);
    job.reduce(step);
    job.read(step);  // BUG: the last rank waits for rank 0 first, and sends later
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
    if (job.is_last()) job.send_metric();  // BUG: one rank first waits for its stream
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
    job.reduce(step);  // FIX: the rank calls it before it waits for anything
    job.read(step);
    if (job.is_last()) job.send_metric();
    await(metric);
    if (rank.rank() == 0) job.check_metric(other, last);
    job.step_done();
  }
  job.close();
}

// FIX: the metric is in the group of the all-reduce, and the stream runs a group as one
void metric_in_the_group(Rank& rank) {
  const Job job(rank);
  const int last = rank.world_size() - 1;
  const Channel& channel = job.gradients;
  const Buffer<float> metric(1, channel.stream);
  job.copy_metric(metric.data(), &job.metric, cudaMemcpyHostToDevice);
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
  float got = -1;
  job.copy_metric(&got, metric.data(), cudaMemcpyDeviceToHost);
  job.check_metric(got, rank.rank() == 0 ? last : rank.rank());
  job.close();
}

Expectation rank_0_receives(int ranks) {
  const Place receive{"metrics/receive", Operation::mpi_recv, "MPI_COMM_WORLD", std::nullopt,
                      "receive_metric"};
  return one_is_elsewhere(ranks, 0, receive, first_gradients());
}
// Rank 0 receives too early, or the last rank sends too late: only the two disagree.
Expectation the_two_disagree(int ranks) {
  const Place receive{"metrics/receive", Operation::mpi_recv, "MPI_COMM_WORLD", std::nullopt,
                      "receive_metric"};
  return deadlock(Cause::cycle)
      .culprits({0, ranks - 1})
      .waiting({0}, receive)
      .waiting(all_but(ranks, 0), first_gradients());
}

constexpr Variant kVariants[] = {
    {"receive_behind_reduction", control, "an MPI message after the all-reduce, on both sides",
     receive_behind_reduction},
    {"receive_before_reduction", broken,
     "rank 0 receives before the all-reduce what the last rank sends after it",
     receive_before_reduction, the_two_disagree},
    {"receive_of_anything", broken, "rank 0 collects from any rank, and one rank sends too late",
     receive_of_anything, rank_0_receives},
    {"receive_started", fix, "MPI_Irecv, the all-reduce and its stream, then MPI_Wait",
     receive_started},
    {"metric_in_the_group", fix, "the message goes by NCCL, in the group of the all-reduce",
     metric_in_the_group},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "rank 0 waits for an MPI message, and its sender for an NCCL all-reduce",
    .launcher = "mpiexec",
    .variants = kVariants,
};
