// Ranks exchange messages, and each sends before it receives.
//
// Lesson    A send ends before its receive only if the message fits NCCL's buffers and the pair is
//           already connected. A pair's first message connects it, and blocks the host until the
//           other side comes. So whether "both send first" hangs depends on the size and on earlier
//           messages. The program shows neither.
// Watch     A test with small messages passes, and the real model hangs. A receive never ends
//           before its send, so "both receive first" hangs at every size.
// Cure      Put all messages of an exchange between ncclGroupStart and ncclGroupEnd: NCCL's guide
//           requires one group for messages that must progress together. Or let one side of each
//           pair receive first.
// In PyTorch
//     dist.send(x, dst=peer); dist.recv(y, src=peer)                       # bug: on both sides
//     messages = [dist.P2POp(dist.isend, x, peer), dist.P2POp(dist.irecv, y, peer)]
//     for work in dist.batch_isend_irecv(messages): work.wait()            # cure: one group
// Seen in   NVIDIA/nccl#479 (both send first); pytorch#138074 (passes below 64 MB); NCCL's guide,
//           "Point-to-point communication"

#include <chrono>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/ring.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

void all_send_first(Rank& rank, std::size_t floats, Pairs pairs = Pairs::connected) {
  const Ring ring(rank, floats, pairs);
  for (int step = 0; step < kSteps; ++step) {
    ring.send(ring.next);
    ring.receive(ring.previous);
    ring.finish();
  }
  ring.close();
}

void small_messages(Rank& rank) { all_send_first(rank, kSmallMessage); }

// BUG: every send waits for a receive that is behind another send
void large_messages(Rank& rank) { all_send_first(rank, kLargeMessage); }

// BUG: a pair's first messages hang at any size: each host waits for the next rank's host
void first_messages(Rank& rank) { all_send_first(rank, kSmallMessage, Pairs::new_to_each_other); }

void receive_first(Rank& rank) {
  const Ring ring(rank, kSmallMessage);
  ring.receive(ring.previous);  // BUG: no rank sends before it has received
  ring.send(ring.next);
  ring.finish();
}

void all_in_groups(Rank& rank, std::size_t floats, Pairs pairs) {
  const Ring ring(rank, floats, pairs);
  for (int step = 0; step < kSteps; ++step) {
    check(ncclGroupStart());  // FIX: both progress together
    ring.send(ring.next);
    ring.receive(ring.previous);
    check(ncclGroupEnd());
    ring.finish();
  }
  ring.close();
}

void grouped(Rank& rank) { all_in_groups(rank, kLargeMessage, Pairs::connected); }

void first_messages_grouped(Rank& rank) {
  all_in_groups(rank, kLargeMessage, Pairs::new_to_each_other);
}

void ordered(Rank& rank) {
  const Ring ring(rank, kLargeMessage);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() % 2 == 0) {
      ring.send(ring.next);
      ring.receive(ring.previous);
    } else {
      ring.receive(ring.previous);  // FIX: one rank of each pair receives first
      ring.send(ring.next);
    }
    ring.finish();
  }
  ring.close();
}

// Rank 0 doubles the message size each time, and checks whether the send ends before rank 1
// receives. It polls for a limited time and then lets rank 1 receive, so nothing hangs.
void turning_point(Rank& rank) {
  constexpr auto kPatience = std::chrono::milliseconds(100);
  constexpr float kProbe = 3;
  const Ring ring(rank, kLargeMessage);
  check(kernels::launch_fill(ring.out.data(), kLargeMessage, kProbe, ring.stream));
  std::size_t largest = 0;
  for (std::size_t floats = kSmallMessage; rank.rank() < 2 && floats <= kLargeMessage;
       floats *= 2) {
    if (rank.rank() == 1) {
      rank.rendezvous().await_signal(0);
      const Label here("probe/receive");
      check(ncclRecv(ring.in.data(), floats, ncclFloat32, 0, ring.communicator, ring.stream));
      check(cudaMemcpyAsync(ring.host.data(), ring.in.data() + floats - 1, sizeof(float),
                            cudaMemcpyDeviceToHost, ring.stream));
      rank.wait_for(ring.stream);
      rank.report().numbers(ring.host[0] == kProbe, "the message's last number, exact");
      continue;
    }
    {
      const Label here("probe/send");
      check(ncclSend(ring.out.data(), floats, ncclFloat32, 1, ring.communicator, ring.stream));
    }
    const auto end = std::chrono::steady_clock::now() + kPatience;
    cudaError_t state = cudaErrorNotReady;
    while (state == cudaErrorNotReady && std::chrono::steady_clock::now() < end) {
      state = cudaStreamQuery(ring.stream);
    }
    if (state == cudaSuccess) largest = floats;
    rank.rendezvous().signal(1);
    rank.wait_for(ring.stream);
  }
  if (rank.rank() == 0) {
    rank.report().figure("largest_send_without_receiver_bytes",
                         static_cast<double>(largest * sizeof(float)));
  }
  ring.close();
}

Expectation everyone_waits(int ranks, const Place& where) {
  return deadlock(Cause::cycle).culprits(all_ranks(ranks)).waiting(all_ranks(ranks), where);
}
// A GPU may complete the sends: a pair has as many buffers as it has channels.
Expectation everyone_sends(int ranks) {
  return everyone_waits(ranks, send_at(ranks)).or_on_real_nccl(Outcome::completes);
}
// According to NCCL 2.28's sources, two ranks that both connect to send receive each other's half
// of the connection, and refuse it.
Expectation everyone_connects(int ranks) {
  Expectation waits = everyone_waits(ranks, first_send_at());
  if (ranks == 2) waits.or_on_real_nccl(Outcome::fails);
  return waits;
}
Expectation everyone_receives(int ranks) { return everyone_waits(ranks, receive_at(ranks)); }

// NCCL always connects a pair at its first message. The simulation does so only if told to.
constexpr Setting kLazy{"GRIDLOCK_SIM_LAZY_CONNECT", "1"};

constexpr Variant kVariants[] = {
    {"small_messages", control, "all send first; the messages fit the buffers, so it passes",
     small_messages},
    {"turning_point", control, "the size up to which a send ends without a receiver, measured",
     turning_point},
    {"large_messages", broken, "all send first, and the messages do not fit the buffers",
     large_messages, everyone_sends},
    Variant{"first_messages", broken, "all send first, and the pairs have yet to connect",
            first_messages, everyone_connects}
        .with({kLazy}),
    {"receive_first", broken, "all receive first, which hangs at every size", receive_first,
     everyone_receives},
    {"grouped", fix, "send and receive in one group", grouped},
    Variant{"first_messages_grouped", fix, "a pair's first messages in one group",
            first_messages_grouped}
        .with({kLazy}),
    {"ordered", fix, "odd ranks receive first", ordered},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "every rank sends before it receives: small messages pass, large ones hang",
    .variants = kVariants,
};
