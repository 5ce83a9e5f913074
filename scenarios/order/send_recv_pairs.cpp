// A send and its receive do not match.
//
// Lesson    NCCL pairs the n-th send to a rank with that rank's n-th receive from the sender, and
//           has no wildcard. Each message needs a send and a receive that name each other. A rank
//           that sends to itself must call both in one group: it cannot reach the receive while the
//           send waits.
// Watch     With one wrong peer, most messages still match. Only two ranks wait for each other, and
//           they do not stand out. A rank that splits its group in two does no harm as long as its
//           peers keep theirs whole, but NCCL's guide does not promise that.
// Cure      Compute both ends of a message from one formula, and put an exchange into one group.
// In PyTorch
//     dist.send(x, dst=(rank + 1) % size); dist.recv(y, src=(rank + 1) % size)    # bug: wrong side
//     messages = [dist.P2POp(dist.isend, x, (rank + 1) % size),
//                 dist.P2POp(dist.irecv, y, (rank - 1) % size)]            # cure: who sends to me
//     for work in dist.batch_isend_irecv(messages): work.wait()
// Seen in   NVIDIA/nccl#1279 (one rank groups, the other does not: NCCL calls it undefined, though
//           it "would probably work" at a small scale)

#include "scenarios/runtime/ring.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// Rank 0 sends and receives one after the other. The others' groups post both at once, so whatever
// rank 0 calls first finds its partner.
void one_rank_splits_its_group(Rank& rank) {
  const Ring ring(rank, kLargeMessage);
  const bool splits = rank.rank() == 0;
  for (int step = 0; step < kSteps; ++step) {
    if (!splits) check(ncclGroupStart());
    ring.send(ring.next);
    ring.receive(ring.previous);
    if (!splits) check(ncclGroupEnd());
    ring.finish();
  }
  ring.close();
}

void exchange(Rank& rank, int last_receives_from) {
  const Ring ring(rank, kSmallMessage);
  for (int step = 0; step < kSteps; ++step) {
    check(ncclGroupStart());
    ring.send(ring.next);
    ring.receive(rank.is_last() ? last_receives_from : ring.previous);
    check(ncclGroupEnd());
    ring.finish();
  }
  ring.close();
}

// BUG: the last rank receives from the rank that it sends to
void wrong_peer(Rank& rank) { exchange(rank, 0); }

// FIX: each rank receives from the rank that sends to it
void right_peer(Rank& rank) { exchange(rank, rank.world_size() - 2); }

void self_send_outside_group(Rank& rank) {
  const Ring ring(rank, kSmallMessage);
  ring.send(rank.rank());  // BUG: refused: while the send waits, the receive can never come
  ring.receive(rank.rank());
  ring.finish();
}

// The last rank waits for the first, which has gone on and waits for its second message.
Expectation first_and_last(int ranks) {
  return deadlock(Cause::cycle).culprits({0, ranks - 1}).waiting({ranks - 1}, receive_at(ranks));
}

// NCCL does not define it.
Expectation undefined_but_well(int) { return completes().undefined_on_real_nccl(); }

constexpr const char* kThree = "both neighbours are the same rank in a ring of two";

constexpr Variant kVariants[] = {
    {"one_rank_splits_its_group", control, "one rank uses no group, its peers do: it completes",
     one_rank_splits_its_group, undefined_but_well},
    {"wrong_peer", broken, "the last rank of the ring receives from the wrong side", wrong_peer,
     first_and_last, 3, 16, kThree},
    {"self_send_outside_group", broken, "a message to oneself without a group is refused",
     self_send_outside_group, all_fail},
    {"right_peer", fix, "the last rank receives from the rank that sends to it", right_peer,
     all_well, 3, 16, kThree},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a send and its receive do not name each other, or cannot both be called",
    .variants = kVariants,
};
