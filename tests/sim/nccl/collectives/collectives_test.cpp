// Every collective, in and out of place, for all data types and reductions, against a reference
// that computes with doubles.
#include <gtest/gtest.h>

#include "tests/sim/nccl/collectives/cases.h"

namespace {

using namespace sim_test;

constexpr ncclRedOp_t kReductions[] = {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg};

TEST(NcclCollectives, AllReduce) {
  all_cases([](Case& c) {
    for (const ncclRedOp_t op : kReductions) {
      const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count), 0, 0);
      check(ncclAllReduce(from, to, c.count, c.type.type, op, c.rank.comm, c.rank.stream));
      c.expect(to, encoded(c.type, 0, c.count, [op](std::size_t i) { return expected(op, i); }),
               "all-reduce");
    }
  });
}

TEST(NcclCollectives, Reduce) {
  all_cases([](Case& c) {
    for (const ncclRedOp_t op : kReductions) {
      const int root = static_cast<int>(c.count) % kRanks;
      const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count), 0, 0);
      check(ncclReduce(from, to, c.count, c.type.type, op, root, c.rank.comm, c.rank.stream));
      const Bytes reduced =
          encoded(c.type, 0, c.count, [op](std::size_t i) { return expected(op, i); });
      const Bytes untouched(c.block(), std::byte{0x5a});
      const Bytes own = c.in_place ? c.inputs(c.rank.rank, c.count) : untouched;
      c.expect(to, c.rank.rank == root ? reduced : own, "reduce");
    }
  });
}

TEST(NcclCollectives, ReduceScatter) {
  all_cases([](Case& c) {
    for (const ncclRedOp_t op : kReductions) {
      const std::size_t mine = static_cast<std::size_t>(c.rank.rank);
      const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count * kRanks), 0, c.block() * mine);
      check(ncclReduceScatter(from, to, c.count, c.type.type, op, c.rank.comm, c.rank.stream));
      c.expect(
          to,
          encoded(c.type, mine * c.count, c.count, [op](std::size_t i) { return expected(op, i); }),
          "reduce-scatter");
    }
  });
}

TEST(NcclCollectives, Broadcast) {
  all_cases([](Case& c) {
    const int root = static_cast<int>(c.count + 1) % kRanks;
    const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count), 0, 0);
    if (c.in_place) {
      check(ncclBcast(to, c.count, c.type.type, root, c.rank.comm, c.rank.stream));
    } else {
      check(ncclBroadcast(c.rank.rank == root ? from : nullptr, to, c.count, c.type.type, root,
                          c.rank.comm, c.rank.stream));
    }
    c.expect(to, c.inputs(root, c.count), "broadcast");
  });
}

Bytes gathered(const Case& c) {
  Bytes all;
  for (int rank = 0; rank < kRanks; ++rank) {
    const Bytes one = c.inputs(rank, c.count);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

TEST(NcclCollectives, AllGather) {
  all_cases([](Case& c) {
    const std::size_t mine = static_cast<std::size_t>(c.rank.rank) * c.block();
    const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count), mine, 0);
    check(ncclAllGather(from, to, c.count, c.type.type, c.rank.comm, c.rank.stream));
    c.expect(to, gathered(c), "all-gather");
  });
}

TEST(NcclCollectives, Gather) {
  all_cases([](Case& c) {
    const int root = static_cast<int>(c.count) % kRanks;
    const bool is_root = c.rank.rank == root;
    const std::size_t mine = static_cast<std::size_t>(c.rank.rank) * c.block();
    const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count), mine, 0);
    check(ncclGather(from, is_root ? to : nullptr, c.count, c.type.type, root, c.rank.comm,
                     c.rank.stream));
    if (is_root) {
      c.expect(to, gathered(c), "gather");
    } else {
      c.rank.synchronize();
    }
  });
}

TEST(NcclCollectives, Scatter) {
  all_cases([](Case& c) {
    const int root = static_cast<int>(c.count) % kRanks;
    const bool is_root = c.rank.rank == root;
    const std::size_t mine = static_cast<std::size_t>(c.rank.rank) * c.block();
    const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count * kRanks), 0, is_root ? mine : 0);
    check(ncclScatter(is_root ? from : nullptr, to, c.count, c.type.type, root, c.rank.comm,
                      c.rank.stream));
    c.expect(to, part(c.inputs(root, c.count * kRanks), mine, c.block()), "scatter");
  });
}

TEST(NcclCollectives, AllToAll) {
  all_cases([](Case& c) {
    if (c.in_place) return;  // not defined for this collective
    const std::size_t mine = static_cast<std::size_t>(c.rank.rank) * c.block();
    const auto [from, to] = c.place(c.inputs(c.rank.rank, c.count * kRanks), 0, 0);
    check(ncclAlltoAll(from, to, c.count, c.type.type, c.rank.comm, c.rank.stream));
    Bytes wanted;
    for (int rank = 0; rank < kRanks; ++rank) {
      const Bytes one = part(c.inputs(rank, c.count * kRanks), mine, c.block());
      wanted.insert(wanted.end(), one.begin(), one.end());
    }
    c.expect(to, wanted, "all-to-all");
  });
}

TEST(NcclCollectives, FloatSumsAreTheSameBitsOnAllRanks) {
  for (const std::size_t count : {std::size_t{100}, std::size_t{10000}}) {
    std::vector<std::vector<float>> results(kRanks);
    with_ranks(kRanks, [&](Rank& rank) {
      std::vector<float> values(count);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = 1.0F / static_cast<float>(i + 3 + static_cast<std::size_t>(rank.rank) * 17);
      }
      const Device<float> data(values);
      check(ncclAllReduce(data.data(), data.data(), count, ncclFloat, ncclSum, rank.comm,
                          rank.stream));
      rank.synchronize();
      results[static_cast<std::size_t>(rank.rank)] = data.read();
    });
    for (const auto& result : results) EXPECT_EQ(result, results.front());
  }
}

TEST(NcclCollectives, PreMultipliedSumTakesEachRanksFactor) {
  with_ranks(kRanks, [](Rank& rank) {
    const float factor = 0.5F + static_cast<float>(rank.rank);
    const Device<float> on_device(1, factor);
    for (const auto residence : {ncclScalarHostImmediate, ncclScalarDevice}) {
      for (const std::size_t count : {std::size_t{7}, std::size_t{5000}}) {
        float host = factor;
        void* scalar = residence == ncclScalarDevice ? on_device.data() : &host;
        ncclRedOp_t op{};
        check(ncclRedOpCreatePreMulSum(&op, scalar, ncclFloat, residence, rank.comm));
        const Device<float> data(count, 2);
        check(
            ncclAllReduce(data.data(), data.data(), count, ncclFloat, op, rank.comm, rank.stream));
        check(ncclRedOpDestroy(op, rank.comm));
        host = 0;
        rank.synchronize();
        const std::vector<float> wanted(count, 2 * (0.5F + 1.5F + 2.5F + 3.5F));
        require(data.read() == wanted, "wrong pre-multiplied sum");
      }
    }
  });
}

TEST(NcclCollectives, MoreThanTheRingHolds) {
  with_ranks(3, [](Rank& rank) {
    const Device<int> number(1, 1);
    const Device<int> large(5000, 1);
    int wanted = 1;
    for (int step = 0; step < 700; ++step) {
      check(
          ncclAllReduce(number.data(), number.data(), 1, ncclInt, ncclMax, rank.comm, rank.stream));
      if (step % 100 == 0) {
        check(ncclAllReduce(large.data(), large.data(), 5000, ncclInt, ncclSum, rank.comm,
                            rank.stream));
        wanted *= 3;
      }
      check(ncclBroadcast(number.data(), number.data(), 1, ncclInt, step % 3, rank.comm,
                          rank.stream));
    }
    rank.synchronize();
    require(large.read() == std::vector<int>(5000, wanted), "wrong sum");
  });
}

// Ends the process, because a device on which a kernel has failed stays broken.
[[noreturn]] void reduce_memory_of_the_host() {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  as_threads(2, [&](int rank) {
    Rank self{.rank = rank, .ranks = 2, .id = id};
    self.make_stream();
    self.init();
    self.connect(self.comm);
    std::vector<int> data(5000, rank);
    check(ncclAllReduce(data.data(), data.data(), data.size(), ncclInt, ncclSum, self.comm,
                        self.stream));
    require(cudaStreamSynchronize(self.stream) == cudaErrorIllegalAddress, "no error");
  });
  std::_Exit(0);
}

TEST(NcclCollectives, PageableMemoryIsAnIllegalAddress) {
  int reaches_it = 0;
  check_cuda(cudaDeviceGetAttribute(&reaches_it, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_it != 0) GTEST_SKIP() << "this device reaches the host's memory";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(reduce_memory_of_the_host(), testing::ExitedWithCode(0), "");
}

}  // namespace
