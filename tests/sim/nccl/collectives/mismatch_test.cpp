// Ranks that make different calls in the same slot. Nothing is reported and nothing completes. If
// only the reduction or a type of the same size differs, the call completes with wrong numbers.
#include <gtest/gtest.h>

#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

constexpr std::size_t kCount = 3000;
constexpr std::size_t kManyElements = std::size_t{5} << 20;  // bytes that fit no buffer

using Calls = std::function<void(Rank&, void*)>;

// Every rank calls. Those in `stuck` must still wait after the others have shown that they go on.
void expect_stuck(int ranks, const std::vector<int>& stuck, const Calls& calls) {
  with_ranks(ranks, [&](Rank& rank) {
    Witness witness(rank);
    const Device<char> data(kManyElements * static_cast<std::size_t>(ranks));
    calls(rank, data.data());
    witness.fifty_rounds();
    const bool is_stuck = std::find(stuck.begin(), stuck.end(), rank.rank) != stuck.end();
    if (!is_stuck) rank.synchronize();
    witness.fifty_rounds();
    require(rank.pending() == is_stuck, is_stuck ? "a mismatch completed" : "an innocent waits");
    ncclResult_t error = ncclInternalError;
    check(ncclCommGetAsyncError(rank.comm, &error));
    require(error == ncclSuccess, "a mismatch was reported");
    check(ncclCommAbort(rank.comm));
    rank.synchronize();
    rank.comm = nullptr;
    witness.close();
  });
}

TEST(NcclMismatch, Kind) {
  expect_stuck(2, {0, 1}, [](Rank& rank, void* data) {
    if (rank.rank == 0) {
      check(ncclAllReduce(data, data, kCount, ncclInt, ncclSum, rank.comm, rank.stream));
    } else {
      check(ncclAllGather(data, data, kCount, ncclInt, rank.comm, rank.stream));
    }
  });
}

TEST(NcclMismatch, Count) {
  for (const std::size_t count : {std::size_t{10}, kCount}) {
    expect_stuck(3, {0, 1, 2}, [count](Rank& rank, void* data) {
      const std::size_t mine = rank.rank == 2 ? count + 1 : count;
      check(ncclAllReduce(data, data, mine, ncclInt, ncclSum, rank.comm, rank.stream));
    });
  }
}

TEST(NcclMismatch, Type) {
  expect_stuck(2, {0, 1}, [](Rank& rank, void* data) {
    check(ncclAllReduce(data, data, kCount, rank.rank == 0 ? ncclFloat : ncclDouble, ncclSum,
                        rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, RootOfASmallBroadcastLeavesEarly) {
  // Each rank believes that it is the root, so each has sent and none waits. In the next slot all
  // agree.
  expect_stuck(2, {}, [](Rank& rank, void* data) {
    check(ncclBroadcast(data, data, kCount, ncclInt, rank.rank, rank.comm, rank.stream));
  });
  // Each rank believes that the other one is the root.
  expect_stuck(2, {0, 1}, [](Rank& rank, void* data) {
    check(ncclBroadcast(data, data, kCount, ncclInt, 1 - rank.rank, rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, RootOfALargeBroadcastWaits) {
  expect_stuck(3, {0, 1}, [](Rank& rank, void* data) {
    const int root = rank.rank == 0 ? 0 : 1;
    if (rank.rank == 2) return;  // the roots miss this rank too, but would wait anyway
    check(ncclBroadcast(data, data, kManyElements, ncclChar, root, rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, AReductionOfTheOthersRoot) {
  expect_stuck(2, {0, 1}, [](Rank& rank, void* data) {
    check(ncclReduce(data, data, kCount, ncclInt, ncclSum, rank.rank, rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, MissingRank) {
  expect_stuck(3, {0, 1}, [](Rank& rank, void* data) {
    if (rank.rank == 2) return;
    check(ncclAllReduce(data, data, kCount, ncclInt, ncclSum, rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, LeavesNeedNobodyButTheRoot) {
  // Rank 2 never comes: a broadcast's leaf and a reduce's leaf are done, the reduce's root is not.
  expect_stuck(3, {}, [](Rank& rank, void* data) {
    if (rank.rank == 2) return;
    check(ncclBroadcast(data, data, kCount, ncclInt, 0, rank.comm, rank.stream));
  });
  expect_stuck(3, {0}, [](Rank& rank, void* data) {
    if (rank.rank == 2) return;
    check(ncclReduce(data, data, kCount, ncclInt, ncclSum, 0, rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, LargeLeavesWaitForTheRoot) {
  expect_stuck(2, {1}, [](Rank& rank, void* data) {
    if (rank.rank == 0) return;
    check(ncclReduce(data, data, kManyElements, ncclChar, ncclSum, 0, rank.comm, rank.stream));
  });
  expect_stuck(2, {0}, [](Rank& rank, void* data) {
    if (rank.rank == 1) return;
    check(ncclScatter(data, data, kManyElements, ncclChar, 0, rank.comm, rank.stream));
  });
}

TEST(NcclMismatch, ReductionGivesWrongNumbers) {
  for (const std::size_t count : {std::size_t{4}, kCount}) {
    with_ranks(2, [count](Rank& rank) {
      const Device<int> data(count, 3 + rank.rank);
      check(ncclAllReduce(data.data(), data.data(), count, ncclInt,
                          rank.rank == 0 ? ncclSum : ncclMax, rank.comm, rank.stream));
      rank.synchronize();
      const std::vector<int> got = data.read();
      require(got != std::vector<int>(count, 7) || rank.rank == 1 || count == 4,
              "all elements are the sum");
      for (const int value : got) require(value == 7 || value == 4, "neither sum nor maximum");
    });
  }
}

TEST(NcclMismatch, TypeOfTheSameSizeGivesWrongNumbers) {
  with_ranks(2, [](Rank& rank) {
    const Device<float> data(kCount, 1.5F);
    check(ncclAllReduce(data.data(), data.data(), kCount, rank.rank == 0 ? ncclFloat : ncclInt32,
                        ncclSum, rank.comm, rank.stream));
    rank.synchronize();
    const std::vector<float> got = data.read();
    require(got.front() == 3.0F && got.back() != 3.0F, "the halves are not summed differently");
  });
}

TEST(NcclMismatch, AShiftedSequenceMixesStepsThenHangs) {
  // Rank 1 skips one of three calls. Its second call pairs with rank 0's second; at the end rank 0
  // waits.
  expect_stuck(2, {0}, [](Rank& rank, void* data) {
    for (int step = rank.rank; step < 3; ++step) {
      check(ncclAllReduce(data, data, kCount, ncclInt, ncclSum, rank.comm, rank.stream));
    }
  });
}

}  // namespace
