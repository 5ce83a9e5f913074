// Every collective, in and out of place, for all data types and reductions, against a reference
// that computes with doubles.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "sim/nccl/small_float.h"
#include "tests/sim/nccl_ranks.h"

namespace {

using namespace sim_test;
using sim::nccl::Bfloat16;
using sim::nccl::Float16;
using sim::nccl::Float8E4M3;
using sim::nccl::Float8E5M2;

using Bytes = std::vector<std::byte>;

constexpr int kRanks = 4;
// Below, at and above what travels inside the segment; nothing divides evenly.
constexpr std::size_t kCounts[] = {1, 3, 255, 517, 4099};
constexpr std::size_t kMostCount = 4099;

struct Type {
  ncclDataType_t type;
  std::size_t size;
  void (*encode)(double, std::byte*);
};

template <typename T>
Type plain(ncclDataType_t type) {
  return {type, sizeof(T), [](double value, std::byte* to) {
            const T converted = static_cast<T>(value);
            std::memcpy(to, &converted, sizeof converted);
          }};
}
template <typename T>
Type small(ncclDataType_t type) {
  return {type, sizeof(T), [](double value, std::byte* to) {
            const T converted = T::from(static_cast<float>(value));
            std::memcpy(to, &converted, sizeof converted);
          }};
}

const std::vector<Type>& types() {
  static const std::vector<Type> all{
      plain<std::int8_t>(ncclInt8),      plain<std::uint8_t>(ncclUint8),
      plain<std::int32_t>(ncclInt32),    plain<std::uint32_t>(ncclUint32),
      plain<std::int64_t>(ncclInt64),    plain<std::uint64_t>(ncclUint64),
      small<Float16>(ncclFloat16),       plain<float>(ncclFloat32),
      plain<double>(ncclFloat64),        small<Bfloat16>(ncclBfloat16),
      small<Float8E4M3>(ncclFloat8e4m3), small<Float8E5M2>(ncclFloat8e5m2),
  };
  return all;
}

// 1 or 2, so that all results are exact in the smallest type, and scattered, so that an element in
// the wrong place shows.
double input(int rank, std::size_t i) {
  const std::size_t mixed =
      (i * 2654435761U) ^ (static_cast<std::size_t>(rank) * 40503U) ^ (i >> 3);
  return 1 + static_cast<double>((mixed >> 7) & 1U);
}

double expected(ncclRedOp_t op, std::size_t i) {
  double value = input(0, i);
  for (int rank = 1; rank < kRanks; ++rank) {
    const double other = input(rank, i);
    if (op == ncclSum || op == ncclAvg) value += other;
    if (op == ncclProd) value *= other;
    if (op == ncclMax) value = std::max(value, other);
    if (op == ncclMin) value = std::min(value, other);
  }
  return op == ncclAvg ? value / kRanks : value;  // truncated by the conversion to an integer
}

Bytes encoded(const Type& type, std::size_t begin, std::size_t count,
              const std::function<double(std::size_t)>& value) {
  Bytes bytes(count * type.size);
  for (std::size_t i = 0; i < count; ++i) type.encode(value(begin + i), &bytes[i * type.size]);
  return bytes;
}

Bytes part(const Bytes& all, std::size_t begin, std::size_t count) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

// Buffers of one rank, reused by all cases.
struct Buffers {
  Device<std::byte> send{kMostCount * 8 * kRanks};
  Device<std::byte> receive{kMostCount * 8 * kRanks};
};

// One case of a collective: fills the buffers, calls, and compares what was received.
struct Case {
  Rank& rank;
  Buffers& buffers;
  const Type& type;
  std::size_t count;
  bool in_place;

  std::size_t block() const { return count * type.size; }
  Bytes inputs(int of, std::size_t elements) const {
    return encoded(type, 0, elements, [of](std::size_t i) { return input(of, i); });
  }

  // Puts `in` where the call reads and returns where the call writes. In place, the output begins
  // `output_at` bytes into the input's buffer, or the input that far into the output's.
  std::pair<std::byte*, std::byte*> place(const Bytes& in, std::size_t input_at,
                                          std::size_t output_at) {
    buffers.receive.write(Bytes(kMostCount * 8 * kRanks, std::byte{0x5a}));
    std::byte* base = in_place ? buffers.receive.data() : buffers.send.data();
    std::byte* from = base + (in_place ? input_at : 0);
    std::byte* to = buffers.receive.data() + (in_place ? output_at : 0);
    check_cuda(cudaMemcpy(from, in.data(), in.size(), cudaMemcpyHostToDevice));
    return {from, to};
  }

  void expect(const std::byte* output, const Bytes& wanted, const char* what) {
    rank.synchronize();
    Bytes got(wanted.size());
    check_cuda(cudaMemcpy(got.data(), output, got.size(), cudaMemcpyDeviceToHost));
    if (got == wanted) return;
    throw std::runtime_error(std::string(what) + ": wrong result, type " +
                             std::to_string(type.type) + ", count " + std::to_string(count) +
                             (in_place ? ", in place" : ", out of place"));
  }
};

// Runs `body` on all ranks for all counts, both placements and all types.
void all_cases(const std::function<void(Case&)>& body) {
  with_ranks(kRanks, [&](Rank& rank) {
    Buffers buffers;
    for (const Type& type : types()) {
      for (const std::size_t count : kCounts) {
        for (const bool in_place : {false, true}) {
          Case one{rank, buffers, type, count, in_place};
          body(one);
        }
      }
    }
  });
}

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
    if (c.in_place) return;  // not defined for it
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

TEST(NcclCollectives, MemoryOutsideTheDevice) {
  with_ranks(kRanks, [](Rank& rank) {
    std::vector<int> data(5000, rank.rank);
    check(ncclAllReduce(data.data(), data.data(), data.size(), ncclInt, ncclSum, rank.comm,
                        rank.stream));
    rank.synchronize();
    require(data == std::vector<int>(5000, 0 + 1 + 2 + 3), "wrong sum");
  });
}

}  // namespace
