// The recorder's copy of MPICH's binary interface, against the real header.
#include "harness/recorder/mpi/abi.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>

namespace gridlock::recorder {
namespace {

static_assert(mpi::kSuccess == MPI_SUCCESS && mpi::kErrOther == MPI_ERR_OTHER);
static_assert(mpi::kProcNull == MPI_PROC_NULL && mpi::kAnySource == MPI_ANY_SOURCE);
static_assert(mpi::kAnyTag == MPI_ANY_TAG);
static_assert(sizeof(mpi::Status) == sizeof(MPI_Status));
static_assert(offsetof(mpi::Status, source) == offsetof(MPI_Status, MPI_SOURCE));
static_assert(offsetof(mpi::Status, tag) == offsetof(MPI_Status, MPI_TAG));
static_assert(sizeof(MPI_Comm) == 4 && sizeof(MPI_Request) == 4 && sizeof(MPI_Datatype) == 4);

template <class Handle>
std::uint32_t number(Handle handle) {
  return static_cast<std::uint32_t>(handle);
}

TEST(MpiAbi, HandlesAreMpichs) {
  EXPECT_EQ(number(MPI_COMM_WORLD), mpi::kCommWorld);
  EXPECT_EQ(number(MPI_COMM_NULL), mpi::kCommNull);
  EXPECT_EQ(number(MPI_REQUEST_NULL), mpi::kRequestNull);
  EXPECT_EQ(number(MPI_GROUP_NULL), mpi::kGroupNull);
  EXPECT_EQ(reinterpret_cast<Word>(MPI_STATUS_IGNORE), mpi::kStatusIgnore);
  EXPECT_EQ(reinterpret_cast<Word>(MPI_STATUSES_IGNORE), mpi::kStatusIgnore);
}

TEST(MpiAbi, BuiltInTypesHoldTheirSize) {
  for (const auto& [type, size] : {std::pair(MPI_BYTE, 1), {MPI_INT, 4}, {MPI_DOUBLE, 8}}) {
    EXPECT_EQ(number(type) & mpi::kKindOfType, mpi::kBuiltInType);
    EXPECT_EQ(mpi::size_of_built_in(number(type)), size);
  }
  EXPECT_EQ(number(MPI_DATATYPE_NULL) & mpi::kKindOfHandle, 0U);
}

TEST(MpiAbi, OperatorsAreMpisOrTheProgramsOwn) {
  for (const MPI_Op mpis : {MPI_SUM, MPI_MAX, MPI_LXOR, MPI_MINLOC, MPI_REPLACE}) {
    EXPECT_TRUE(mpi::is_built_in(number(mpis)));
  }
  EXPECT_FALSE(mpi::is_built_in(number(MPI_OP_NULL)));
}

}  // namespace
}  // namespace gridlock::recorder
