// The simulation's own buffers between two ranks: how much a send can buffer, to the byte. NCCL
// promises nothing about its buffers, and differing sizes are undefined there.
#include <gtest/gtest.h>

#include "tests/sim/nccl/collectives/both_send_first.h"
#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

constexpr std::size_t kBuffer = std::size_t{4} << 20;  // the default of GRIDLOCK_SIM_BUFFER

TEST(NcclBuffers, BothSendFirstPassesForSmallMessages) {
  with_ranks(2, [](Rank& rank) { passes_sending_first(rank, kBuffer); });
}

TEST(NcclBuffers, BothSendFirstNeverCompletesForLargeMessages) {
  with_ranks(2, [](Rank& rank) {
    Witness witness(rank);
    hangs_sending_first(rank, witness, kBuffer + 1);
    witness.close();
  });
}

TEST(NcclBuffers, TheBufferOfAPairIsSharedByItsMessages) {
  with_ranks(2, [](Rank& rank) {
    Witness witness(rank);
    const Device<char> data(kBuffer, static_cast<char>(7));
    constexpr std::size_t kHalf = kBuffer / 2;
    if (rank.rank == 0) {
      for (int i = 0; i < 2; ++i) {
        check(ncclSend(data.data(), kHalf, ncclChar, 1, rank.comm, rank.stream));
      }
      rank.synchronize();
      check(ncclSend(data.data(), 1, ncclChar, 1, rank.comm, rank.stream));
    }
    witness.fifty_rounds();
    require(rank.rank == 1 || rank.pending(), "a message fitted into a full buffer");
    witness.fifty_rounds();  // rank 0 has looked
    if (rank.rank == 1) {
      const Device<char> in(kBuffer);
      for (const std::size_t bytes : {kHalf, kHalf, std::size_t{1}}) {
        check(ncclRecv(in.data(), bytes, ncclChar, 0, rank.comm, rank.stream));
      }
      rank.synchronize();
      require(in.read().front() == 7, "wrong message");
    }
    rank.synchronize();
    witness.close();
  });
}

TEST(NcclBuffers, AMessageGetsTheRoomThatAnEarlierOneLeaves) {
  with_ranks(2, [](Rank& rank) {
    constexpr std::size_t kMost = kBuffer / 2 + 1;
    const Device<char> first(kMost, 'a');
    const Device<char> second(kMost, 'b');
    const Device<char> in(kBuffer + 1);
    if (rank.rank == 0) {
      check(ncclSend(first.data(), kMost, ncclChar, 1, rank.comm, rank.stream));
      check(ncclSend(second.data(), kMost, ncclChar, 1, rank.comm, rank.stream));
      rank.synchronize();  // the first message must be received, but not the second
      check(ncclRecv(in.data(), kBuffer + 1, ncclChar, 1, rank.comm, rank.stream));
    } else {
      check(ncclRecv(in.data(), kMost, ncclChar, 0, rank.comm, rank.stream));
      rank.synchronize();
      require(in.read().front() == 'a', "wrong message");
      // Too large for the buffer: rank 0 receives it only when it is past its own sends.
      check(ncclSend(in.data(), kBuffer + 1, ncclChar, 0, rank.comm, rank.stream));
      check(ncclRecv(in.data(), kMost, ncclChar, 0, rank.comm, rank.stream));
    }
    rank.synchronize();
    if (rank.rank == 1) require(in.read().front() == 'b', "wrong message");
  });
}

TEST(NcclBuffers, DifferentSizesNeverMatch) {
  with_ranks(2, [](Rank& rank) {
    Witness witness(rank);
    const Device<int> data(100);
    if (rank.rank == 0) {
      check(ncclSend(data.data(), 100, ncclInt, 1, rank.comm, rank.stream));
    } else {
      check(ncclRecv(data.data(), 99, ncclInt, 0, rank.comm, rank.stream));
    }
    witness.fifty_rounds();
    require(rank.rank == 0 || rank.pending(), "a receive took a message of another size");
    check(ncclCommAbort(rank.comm));
    rank.synchronize();
    rank.comm = nullptr;
    witness.close();
  });
}

}  // namespace
