// The small texts of verdicts.
#include "harness/detect/words/text.h"

#include <gtest/gtest.h>

namespace gridlock::detect {
namespace {

TEST(Text, Ranges) {
  EXPECT_EQ(range_text({0, 1, 2, 3, 4, 5, 6, 9}), "0–6, 9");
  EXPECT_EQ(range_text({4}), "4");
  EXPECT_EQ(range_text({4, 5}), "4, 5");
  EXPECT_EQ(range_text({}), "");
  EXPECT_EQ(ranks_text({4}), "rank 4");
  EXPECT_EQ(ranks_text({1, 2, 3}), "ranks 1–3");
}

TEST(Text, Joins) {
  EXPECT_EQ(join_text({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(join_text({"a", "b"}, "; "), "a; b");
  EXPECT_EQ(join_text({}), "");
}

TEST(Text, Calls) {
  EXPECT_EQ(call_text(record::Call::all_reduce, 41), "all_reduce #41");
  EXPECT_EQ(call_text(record::Call::comm_init, 0), "comm_init");
}

TEST(Text, ShapesNameTypesAndReductions) {
  Shape shape{.call = record::Call::all_reduce, .datatype = 7, .reduction = 2, .bytes = 64};
  EXPECT_EQ(shape_text(shape), "all_reduce (64 bytes of float32, max)");
  shape.reduction = 5;  // made by the program
  shape.datatype = 99;
  EXPECT_EQ(shape_text(shape), "all_reduce (64 bytes of type 99, reduction 5 of its own)");
}

TEST(Text, ShapesSayOnlyWhatMustAgree) {
  EXPECT_EQ(shape_text({.call = record::Call::broadcast, .datatype = 0, .root = 3, .bytes = 8}),
            "broadcast (8 bytes of int8, root 3)");
  EXPECT_EQ(shape_text({.call = record::Call::send, .bytes = 64}), "send (64 bytes)");
  EXPECT_EQ(shape_text({.call = record::Call::mpi_bcast, .root = 1}), "mpi_bcast (root 1)");
  EXPECT_EQ(shape_text({.call = record::Call::mpi_barrier}), "mpi_barrier");
}

}  // namespace
}  // namespace gridlock::detect
