// Ranks exchange messages, and each sends before it receives.
//
// Lesson    A send ends early only while its message fits the library's buffers, and only where the
//           pair is connected: the first message of a pair connects it, and waits on the host for
//           the other side. Whether "both send first" works is a matter of size and of what went
//           before, and neither is in the program.
// Watch     A test with small messages passes and the real model hangs. A receive never ends early,
//           so "both receive first" hangs at every size. A rank that splits its group in two does
//           no harm as long as its peers keep theirs whole; with a wrong peer, the two that wait
//           for each other are not where most of the messages are.
// Cure      ncclGroupStart and ncclGroupEnd around all messages of an exchange, or an order in
//           which one side of each pair receives first.
// In PyTorch
//     dist.send(x, dst=peer); dist.recv(y, src=peer)                       # bug: on both sides
//     messages = [dist.P2POp(dist.isend, x, peer), dist.P2POp(dist.irecv, y, peer)]
//     for work in dist.batch_isend_irecv(messages): work.wait()            # cure: one group
// Seen in   NVIDIA/nccl#479 (both send first), #1279 (one rank groups, the other does not: NCCL
//           calls it undefined, though it "would probably work" at a small scale); pytorch#138074
//           (passes below 64 MB)

#include <chrono>
#include <cstdlib>

#include "kernels/gradients.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr std::size_t kSmall = 256;                   // floats: 1 KiB
constexpr std::size_t kLarge = std::size_t{8} << 20;  // 32 MiB, above any buffer of the library
constexpr int kSteps = 4;

enum class Pairs { connected, new_to_each_other };

// A ring: each rank has one to send to and one to receive from. Two ranks are a pair.
struct Ring {
  Ring(Rank& of, std::size_t floats, Pairs pairs = Pairs::connected)
      : rank(of),
        size(of.world_size()),
        next((of.rank() + 1) % size),
        previous((of.rank() + size - 1) % size),
        communicator(open_communicator(of, "ring")),
        stream(of.stream()),
        out(floats, stream),
        in(floats, stream),
        host(2) {
    check(kernels::launch_fill(out.data(), static_cast<std::int64_t>(floats),
                               static_cast<float>(rank.rank()), stream));
    if (pairs == Pairs::connected) connect();
    rank.wait_for(stream);
    rank.report().begin_steps();
  }

  // Both neighbours in both directions, by a message of one number each.
  void connect() const {
    const Label here("exchange/connect");
    check(ncclGroupStart());
    for (const int peer : {next, previous}) {
      check(ncclSend(out.data(), 1, ncclFloat32, peer, communicator, stream));
      check(ncclRecv(in.data(), 1, ncclFloat32, peer, communicator, stream));
    }
    check(ncclGroupEnd());
  }

  [[gnu::noinline]] void send(int to) const {
    const Label here("exchange/send");
    check(ncclSend(out.data(), out.size(), ncclFloat32, to, communicator, stream));
  }
  [[gnu::noinline]] void receive(int from) const {
    const Label here("exchange/receive");
    check(ncclRecv(in.data(), in.size(), ncclFloat32, from, communicator, stream));
  }

  // Reads the ends of what came.
  //   Blocks  until the exchange is over
  void finish() const {
    check(cudaMemcpyAsync(host.data(), in.data(), sizeof(float), cudaMemcpyDeviceToHost, stream));
    check(cudaMemcpyAsync(host.data() + 1, in.data() + in.size() - 1, sizeof(float),
                          cudaMemcpyDeviceToHost, stream));
    rank.wait_for(stream);
    const auto sender = static_cast<float>(previous);
    rank.report().numbers(host[0] == sender && host[1] == sender, "the sender's number, exact");
    rank.report().step_done();
  }

  Rank& rank;
  int size;
  int next;
  int previous;
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> out;
  Buffer<float> in;
  PinnedBuffer<float> host;
};

void all_send_first(Rank& rank, std::size_t floats, Pairs pairs = Pairs::connected) {
  const Ring ring(rank, floats, pairs);
  for (int step = 0; step < kSteps; ++step) {
    ring.send(ring.next);
    ring.receive(ring.previous);
    ring.finish();
  }
  close_communicator(ring.communicator);
}

void small_messages(Rank& rank) { all_send_first(rank, kSmall); }

// BUG: every send waits for a receive that stands behind another send
void large_messages(Rank& rank) { all_send_first(rank, kLarge); }

// The simulation connects a pair at its first message only when it is told to; NCCL always does.
void connect_at_first_message() { setenv("GRIDLOCK_SIM_LAZY_CONNECT", "1", 1); }

// BUG: small messages too, where they are a pair's first: each host waits for the next one's
void first_messages(Rank& rank) {
  connect_at_first_message();
  all_send_first(rank, kSmall, Pairs::new_to_each_other);
}

void receive_first(Rank& rank) {
  const Ring ring(rank, kSmall);
  ring.receive(ring.previous);  // BUG: nobody sends before he has received
  ring.send(ring.next);
  ring.finish();
}

void wrong_peer(Rank& rank) {
  const Ring ring(rank, kSmall);
  for (int step = 0; step < kSteps; ++step) {
    check(ncclGroupStart());
    ring.send(ring.next);
    ring.receive(rank.is_last() ? ring.next
                                : ring.previous);  // BUG: the last rank looks the wrong way
    check(ncclGroupEnd());
    ring.finish();
  }
}

void self_send_outside_group(Rank& rank) {
  const Ring ring(rank, kSmall);
  ring.send(rank.rank());  // BUG: refused, for nothing could ever receive it
  ring.receive(rank.rank());
  ring.finish();
}

// One rank sends and receives one after the other; the others' groups have both posted, so whatever
// it does first is met.
void one_rank_splits_its_group(Rank& rank) {
  const Ring ring(rank, kLarge);
  const bool splits = rank.rank() == 0;
  for (int step = 0; step < kSteps; ++step) {
    if (!splits) check(ncclGroupStart());
    ring.send(ring.next);
    ring.receive(ring.previous);
    if (!splits) check(ncclGroupEnd());
    ring.finish();
  }
  close_communicator(ring.communicator);
}

void all_in_groups(Rank& rank, std::size_t floats, Pairs pairs) {
  const Ring ring(rank, floats, pairs);
  for (int step = 0; step < kSteps; ++step) {
    check(ncclGroupStart());  // FIX: both are under way at once
    ring.send(ring.next);
    ring.receive(ring.previous);
    check(ncclGroupEnd());
    ring.finish();
  }
  close_communicator(ring.communicator);
}

void grouped(Rank& rank) { all_in_groups(rank, kLarge, Pairs::connected); }

void first_messages_grouped(Rank& rank) {
  connect_at_first_message();
  all_in_groups(rank, kLarge, Pairs::new_to_each_other);
}

void ordered(Rank& rank) {
  const Ring ring(rank, kLarge);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() % 2 == 0) {
      ring.send(ring.next);
      ring.receive(ring.previous);
    } else {
      ring.receive(ring.previous);  // FIX: one of each pair of neighbours receives first
      ring.send(ring.next);
    }
    ring.finish();
  }
  close_communicator(ring.communicator);
}

// Rank 0 sends messages that nobody takes yet, twice as large each time, and looks whether they end
// by themselves. Only then may rank 1 receive. The answer is bounded by patience, the hang is not
// entered.
void turning_point(Rank& rank) {
  constexpr auto kPatience = std::chrono::milliseconds(100);
  constexpr float kProbe = 3;
  const Ring ring(rank, kLarge);
  check(kernels::launch_fill(ring.out.data(), kLarge, kProbe, ring.stream));
  std::size_t largest = 0;
  for (std::size_t floats = kSmall; rank.rank() < 2 && floats <= kLarge; floats *= 2) {
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
  close_communicator(ring.communicator);
}

Expectation everyone_waits(int ranks, const Place& where) {
  return deadlock(Cause::cycle).culprits(all_ranks(ranks)).waiting(all_ranks(ranks), where);
}
// Messages of a pair in one direction before the scenario's: in a ring of two both neighbours are
// one.
int first_message(int ranks) { return ranks == 2 ? 2 : 1; }

// On a GPU the messages may fit after all: as many buffers take them as a pair has channels.
Expectation everyone_sends(int ranks) {
  return everyone_waits(ranks,
                        {"exchange/send", Operation::send, "ring", first_message(ranks), "send"})
      .or_on(Backend::cuda, Outcome::completes);
}
// By NCCL 2.28's sources two ranks that connect to send take each other's halves, and refuse them.
Expectation everyone_connects(int ranks) {
  Expectation waits = everyone_waits(ranks, {"exchange/send", Operation::send, "ring", 0, "send"});
  if (ranks == 2) waits.or_on(Backend::cuda, Outcome::fails);
  return waits;
}
Expectation everyone_receives(int ranks) {
  return everyone_waits(
      ranks, {"exchange/receive", Operation::recv, "ring", first_message(ranks), "receive"});
}

// The last rank waits for the first, which has gone on and waits for the last one's second message.
Expectation first_and_last(int ranks) {
  return deadlock(Cause::cycle)
      .culprits({0, ranks - 1})
      .waiting({ranks - 1}, {"exchange/receive", Operation::recv, "ring", first_message(ranks)});
}

// NCCL leaves it open.
Expectation undefined_but_well(int) { return completes().undefined_on_gpu(); }

constexpr Variant kVariants[] = {
    {"one_rank_splits_its_group", control,
     "one rank without a group among peers with one: it completes", one_rank_splits_its_group,
     undefined_but_well},
    {"small_messages", control, "all send first; the messages fit the buffers, so it passes",
     small_messages},
    {"turning_point", control, "the size up to which a send ends without a receiver, measured",
     turning_point},
    {"large_messages", broken, "all send first, and the messages do not fit the buffers",
     large_messages, everyone_sends},
    {"first_messages", broken, "all send first, and the pairs have yet to connect", first_messages,
     everyone_connects},
    {"receive_first", broken, "all receive first: hangs at every size", receive_first,
     everyone_receives},
    {"wrong_peer", broken, "the last rank of the ring receives from the wrong side", wrong_peer,
     first_and_last, 3, 16, "both sides of a rank are the same one in a ring of two"},
    {"self_send_outside_group", broken, "a message to oneself without a group is refused",
     self_send_outside_group, all_fail},
    {"grouped", fix, "send and receive in one group", grouped},
    {"first_messages_grouped", fix, "a pair's first messages in one group", first_messages_grouped},
    {"ordered", fix, "odd ranks receive first", ordered},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "messages in both directions without a group: a matter of size and order",
    .variants = kVariants,
};
