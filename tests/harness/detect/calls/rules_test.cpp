// The must-arrive table, and which calls fit together.
#include "harness/detect/calls/rules.h"

#include <gtest/gtest.h>

namespace gridlock::detect {
namespace {

using record::Call;
using record::Operation;

constexpr std::uint64_t kBuffer = 1000;

MustArrive needs(Call call, int own_rank, std::uint64_t bytes) {
  Operation operation;
  operation.call = call;
  operation.datatype = 1;  // one byte
  operation.count = bytes;
  operation.peer = 0;  // the root
  return must_arrive(operation, own_rank, 4, kBuffer);
}

TEST(MustArrive, Everyone) {
  for (const Call call :
       {Call::all_reduce, Call::all_gather, Call::reduce_scatter, Call::all_to_all}) {
    EXPECT_EQ(needs(call, 1, 1), MustArrive::everyone);
  }
}

TEST(MustArrive, FromTheRoot) {
  for (const Call call : {Call::broadcast, Call::scatter}) {
    EXPECT_EQ(needs(call, 1, 10), MustArrive::root);
    EXPECT_EQ(needs(call, 0, 10), MustArrive::nobody);
    EXPECT_EQ(needs(call, 0, kBuffer + 1), MustArrive::everyone);
  }
  EXPECT_EQ(needs(Call::broadcast, 0, kBuffer), MustArrive::nobody);
  EXPECT_EQ(needs(Call::scatter, 0, kBuffer), MustArrive::everyone);  // that much for each of four
}

TEST(MustArrive, ToTheRoot) {
  for (const Call call : {Call::reduce, Call::gather}) {
    EXPECT_EQ(needs(call, 0, 10), MustArrive::everyone);
    EXPECT_EQ(needs(call, 1, kBuffer), MustArrive::nobody);
    EXPECT_EQ(needs(call, 1, kBuffer + 1), MustArrive::everyone);
  }
}

TEST(MustArrive, ToTheRootOfMpi) {
  for (const Call call : {Call::mpi_reduce, Call::mpi_gather}) {
    EXPECT_EQ(needs(call, 0, 10), MustArrive::everyone);
    EXPECT_EQ(needs(call, 1, 10), MustArrive::nobody);
  }
}

TEST(MustArrive, ForTheLastOfAScan) {
  for (const Call call : {Call::mpi_scan, Call::mpi_exscan}) {
    EXPECT_EQ(needs(call, 3, 10), MustArrive::everyone);
    EXPECT_EQ(needs(call, 2, 10), MustArrive::nobody);
  }
}

TEST(Difference, WorstFirst) {
  const Shape shape{.call = Call::all_reduce, .datatype = 7, .bytes = 64};
  Shape other = shape;
  EXPECT_EQ(difference(shape, other), Difference::none);
  other.datatype = 2;
  EXPECT_EQ(difference(shape, other), Difference::numbers);
  other.bytes = 32;
  EXPECT_EQ(difference(shape, other), Difference::fatal);
}

// NCCL moves bytes then: 64 floats and 256 bytes are the same.
TEST(Difference, TheTypeMattersOnlyToAReduction) {
  const Shape floats{.call = Call::all_gather, .datatype = 7, .bytes = 256};
  Shape bytes = floats;
  bytes.datatype = 0;
  EXPECT_EQ(difference(floats, bytes), Difference::none);
}

TEST(Difference, ASumOfIntegersDoesNotMindTheirSign) {
  const Shape with{.call = Call::all_reduce, .datatype = 2, .bytes = 64};
  Shape without = with;
  without.datatype = 3;
  EXPECT_EQ(difference(with, without), Difference::none);
  Shape wide = with;
  wide.datatype = 4;
  EXPECT_EQ(difference(with, wide), Difference::numbers);
  constexpr std::uint8_t kMax = 2;
  Shape largest = with;
  largest.reduction = without.reduction = kMax;
  EXPECT_EQ(difference(largest, without), Difference::numbers);
}

}  // namespace
}  // namespace gridlock::detect
