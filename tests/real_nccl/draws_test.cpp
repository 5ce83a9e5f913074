// A short part of the random matrix, the same in each run; scripts/nccl_matrix.sh draws more.
#include <gtest/gtest.h>

#include "tests/real_nccl/programs/reference.h"
#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

void all_are_right(int processes, const std::vector<std::string>& arguments,
                   const Environment& environment = {}) {
  const end_to_end::Folder folder;
  std::vector<std::string> program{"random_draws"};
  program.insert(program.end(), arguments.begin(), arguments.end());
  const end_to_end::Done done = watch(folder, processes, program, environment);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find(" draws wrong"), std::string::npos) << done.output;
}

TEST(RealDraws, AreRightInOneProcess) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  all_are_right(1, {"1", "0", "12", "4"});
}

TEST(RealDraws, AreRightOverPeerMemory) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  all_are_right(4, {"1", "12", "8"},
                {{"GRIDLOCK_SIM_TOPOLOGY", "nvlink"}, {"GRIDLOCK_SIM_MEMORY", "4G"}});
}

TEST(RealDraws, AreRightOverSockets) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  all_are_right(2, {"1", "20", "8", "2"}, {{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}});
}

const Type& type_of(const std::string& name) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const Type& type) { return type.name == name; });
}

TEST(RealDrawsReference, WritesFloatsAsTheirFormatsSay) {
  EXPECT_EQ(float_bits(type_of("float16"), 1), 0x3c00U);
  EXPECT_EQ(float_bits(type_of("bfloat16"), -2), 0xc000U);
  EXPECT_EQ(float_bits(type_of("float32"), 3), 0x40400000U);
  EXPECT_EQ(float_bits(type_of("float64"), 1.5), 0x3ff8000000000000U);
  EXPECT_EQ(float_bits(type_of("float8e4m3"), 1), 0x38U);
  EXPECT_EQ(float_bits(type_of("float8e5m2"), 7), 0x47U);
  for (const Type& type : kTypes) {
    if (!is_float(type)) continue;
    for (int value = -8; value <= 8; ++value) {
      EXPECT_EQ(float_value(type, float_bits(type, value)), value) << type.name;
    }
  }
}

// The sum of what the ranks bring, as the types of C++ have it.
TEST(RealDrawsReference, AcceptsASumAndNothingElse) {
  for (const Type& type : kTypes) {
    Draw drawn{.seed = 5,
               .kind = Kind::all_reduce,
               .type = &type,
               .fold = Fold::sum,
               .count = 1,
               .ranks = {0, 1, 2}};
    std::uint64_t sum = 0;
    double exact = 0;
    for (int rank = 0; rank < 3; ++rank) {
      const std::uint64_t bits = brought(drawn, 0, rank, 0);
      sum += bits;
      exact += is_float(type) ? float_value(type, bits) : 0;
    }
    const std::uint64_t wanted = is_float(type) ? float_bits(type, exact) : element(type, sum);
    EXPECT_TRUE(is_fold(drawn, 0, 0, wanted)) << type.name;
    for (int bit = 0; bit < 8 * type.bytes; ++bit) {
      const std::uint64_t other = wanted ^ (std::uint64_t{1} << bit);
      if (is_float(type) && float_value(type, other) == exact) continue;  // the sign of zero
      EXPECT_FALSE(is_fold(drawn, 0, 0, other)) << type.name << ", bit " << bit;
    }
  }
}

// Of signed and unsigned integers with their highest bits set.
TEST(RealDrawsReference, KnowsTheSignOfAMaximum) {
  for (const char* name : {"int8", "uint8", "int64", "uint64"}) {
    const Type& type = type_of(name);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Draw drawn{.seed = seed,
                       .kind = Kind::all_reduce,
                       .type = &type,
                       .fold = Fold::max,
                       .count = 1,
                       .ranks = {0, 1}};
      const std::uint64_t one = brought(drawn, 0, 0, 0), other = brought(drawn, 0, 1, 0);
      const std::uint64_t top = std::uint64_t{1} << (8 * type.bytes - 1);
      if (((one ^ other) & top) == 0) continue;
      const std::uint64_t set = (one & top) != 0 ? one : other, clear = one ^ other ^ set;
      EXPECT_TRUE(is_fold(drawn, 0, 0, type.is_signed ? clear : set)) << name;
      EXPECT_FALSE(is_fold(drawn, 0, 0, type.is_signed ? set : clear)) << name;
    }
  }
}

}  // namespace
}  // namespace gridlock::real_nccl
