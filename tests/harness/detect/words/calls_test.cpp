// How verdicts name calls and places.
#include "harness/detect/words/calls.h"

#include <gtest/gtest.h>

namespace gridlock::detect {
namespace {

TEST(Calls, HaveNumbersWhereTheyMeet) {
  EXPECT_EQ(call_text(record::Call::all_reduce, 41), "all_reduce #41");
  EXPECT_EQ(call_text(record::Call::comm_init, 0), "comm_init");
}

TEST(Calls, ShapesNameTypesAndReductions) {
  Shape shape{.call = record::Call::all_reduce, .datatype = 7, .reduction = 2, .bytes = 64};
  EXPECT_EQ(shape_text(shape), "all_reduce (64 bytes of float32, max)");
  shape.reduction = record::kOwnReduction;
  shape.datatype = 99;
  EXPECT_EQ(shape_text(shape), "all_reduce (64 bytes of type 99, a reduction of its own)");
}

TEST(Calls, ShapesSayOnlyWhatMustAgree) {
  EXPECT_EQ(shape_text({.call = record::Call::broadcast, .datatype = 0, .root = 3, .bytes = 8}),
            "broadcast (8 bytes of int8, root 3)");
  EXPECT_EQ(shape_text({.call = record::Call::send, .bytes = 64}), "send (64 bytes)");
  EXPECT_EQ(shape_text({.call = record::Call::mpi_bcast, .root = 1}), "mpi_bcast (root 1)");
  EXPECT_EQ(shape_text({.call = record::Call::mpi_barrier}), "mpi_barrier");
}

TEST(Places, NameLabelAndCommunicator) {
  EXPECT_EQ(place_text(Place{.call = record::Call::all_reduce,
                             .slot = 3,
                             .label = "loss",
                             .communicator = {.given = "world"}}),
            "all_reduce #3 \"loss\" on world");
  EXPECT_EQ(place_text(Place{.call = record::Call::comm_init}), "comm_init");
}

TEST(Places, MessagesNameTheOtherSide) {
  EXPECT_EQ(place_text(Place{.call = record::Call::mpi_recv, .slot = 1, .other = {.peer = 2}}),
            "mpi_recv #1 from rank 2");
  EXPECT_EQ(place_text(Place{.call = record::Call::mpi_ssend, .slot = 1, .other = {.peer = 2}}),
            "mpi_ssend #1 to rank 2");
  EXPECT_EQ(place_text(Place{.call = record::Call::mpi_recv, .other = {.peer = record::kAnyPeer}}),
            "mpi_recv #0 from any rank");
  EXPECT_EQ(place_text(Place{.call = record::Call::send, .slot = 3, .other = {.peer = 0}}),
            "send #3 to rank 0");
  EXPECT_EQ(place_text(Place{.call = record::Call::mpi_recv, .other = {.peer = 1, .tag = 7}}),
            "mpi_recv #0 from rank 1 with tag 7");
  EXPECT_EQ(place_text(Place{.call = record::Call::mpi_probe,
                             .other = {.peer = 1, .tag = record::kAnyTag}}),
            "mpi_probe #0 from rank 1 with any tag");
}

TEST(Places, OfGroupsNameTheCaller) {
  Wait wait;
  wait.operation = record::Call::all_reduce;
  wait.callers = {{.module = "/opt/train", .offset = 16}};
  EXPECT_EQ(place_text(wait), "all_reduce #0 at /opt/train+0x10");
  wait.caller = "step (train.cpp:8)";
  wait.host_call = record::Call::device_synchronize;
  EXPECT_EQ(place_text(wait), "all_reduce #0 at step (train.cpp:8), host in device_synchronize");
}

}  // namespace
}  // namespace gridlock::detect
