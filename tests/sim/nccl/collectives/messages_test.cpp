// Sends and receives: what completes early, what waits for the other side, what never matches.
#include <gtest/gtest.h>

#include "tests/sim/nccl/collectives/both_send_first.h"
#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

constexpr std::size_t kBuffered = 1024;                     // always goes ahead of its receive
constexpr std::size_t kUnbuffered = std::size_t{64} << 20;  // never does

// NCCL connects two ranks on the host when each first calls. These tests are about later calls.
void connect_pair(const Rank& rank) {
  const Device<int> out(1, rank.rank);
  const Device<int> in(1);
  check(ncclAllReduce(out.data(), in.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
  check(ncclGroupStart());
  check(ncclSend(out.data(), 1, ncclInt, other(rank), rank.comm, rank.stream));
  check(ncclRecv(in.data(), 1, ncclInt, other(rank), rank.comm, rank.stream));
  check(ncclGroupEnd());
  rank.synchronize();
}

TEST(NcclMessages, BothSendFirstPassesForSmallMessages) {
  with_ranks(2, [](Rank& rank) {
    connect_pair(rank);
    passes_sending_first(rank, kBuffered);
  });
}

TEST(NcclMessages, BothSendFirstNeverCompletesForLargeMessages) {
  with_ranks(2, [](Rank& rank) {
    Witness witness(rank);
    connect_pair(rank);
    hangs_sending_first(rank, witness, kUnbuffered);
    witness.close();
  });
}

TEST(NcclMessages, GroupedExchangeOfLargeMessages) {
  with_ranks(3, [](Rank& rank) {
    constexpr std::size_t kCount = std::size_t{3} << 20;
    const Device<int> out(kCount, rank.rank);
    const Device<int> left(kCount);
    const Device<int> self(kCount);
    const int next = (rank.rank + 1) % 3;
    const int previous = (rank.rank + 2) % 3;
    check(ncclGroupStart());
    check(ncclRecv(self.data(), kCount, ncclInt, rank.rank, rank.comm, rank.stream));
    check(ncclSend(out.data(), kCount, ncclInt, next, rank.comm, rank.stream));
    check(ncclSend(out.data(), kCount, ncclInt, rank.rank, rank.comm, rank.stream));
    check(ncclRecv(left.data(), kCount, ncclInt, previous, rank.comm, rank.stream));
    check(ncclGroupEnd());
    rank.synchronize();
    require(left.read() == std::vector<int>(kCount, previous), "wrong message");
    require(self.read() == std::vector<int>(kCount, rank.rank), "wrong message to oneself");
  });
}

TEST(NcclMessages, MoreMessagesThanTheChannelHolds) {
  with_ranks(2, [](Rank& rank) {
    constexpr int kMany = 300;
    Device<int> numbers(kMany);
    std::vector<int> wanted(kMany);
    for (int i = 0; i < kMany; ++i) wanted[static_cast<std::size_t>(i)] = 3 * i;
    if (rank.rank == 0) numbers.write(wanted);
    for (int i = 0; i < kMany; ++i) {
      int* number = numbers.data() + i;
      check(rank.rank == 0 ? ncclSend(number, 1, ncclInt, 1, rank.comm, rank.stream)
                           : ncclRecv(number, 1, ncclInt, 0, rank.comm, rank.stream));
    }
    rank.synchronize();
    require(numbers.read() == wanted, "messages out of order");
  });
}

TEST(NcclMessages, ToOneselfOutsideAGroupIsRefused) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> data(1);
    require(ncclSend(data.data(), 1, ncclInt, 0, rank.comm, rank.stream) == ncclInvalidUsage,
            "a lone send to oneself was accepted");
    require(ncclRecv(data.data(), 1, ncclInt, 0, rank.comm, rank.stream) == ncclInvalidUsage,
            "a lone receive from oneself was accepted");
    require(std::string(ncclGetLastError(nullptr)).find("self") != std::string::npos,
            "the error does not say why");
  });
}

TEST(NcclMessages, AReceiveBehindACollectiveWaitsForIt) {
  // Rank 0: all-reduce, then a large send. Rank 1: receive, then all-reduce. Each waits for the
  // other.
  with_ranks(2, [](Rank& rank) {
    Witness witness(rank);
    connect_pair(rank);
    const Device<char> data(kUnbuffered);
    const Device<int> number(1);
    const auto reduce = [&] {
      check(
          ncclAllReduce(number.data(), number.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    };
    if (rank.rank == 0) {
      reduce();
      check(ncclSend(data.data(), kUnbuffered, ncclChar, 1, rank.comm, rank.stream));
    } else {
      check(ncclRecv(data.data(), kUnbuffered, ncclChar, 0, rank.comm, rank.stream));
      reduce();
    }
    witness.fifty_rounds();
    require(rank.pending(), "a cycle of a receive and a collective completed");
    check(ncclCommAbort(rank.comm));
    rank.synchronize();
    rank.comm = nullptr;
    witness.close();
  });
}

}  // namespace
