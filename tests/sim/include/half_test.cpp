// The 16-bit floats: every value survives, and rounding is to nearest, ties to even.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

struct Half {
  static float to_float(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
  static std::uint16_t from_float(float value) { return __half_as_ushort(__float2half(value)); }
  static std::uint16_t from_double(double value) { return __half_as_ushort(__double2half(value)); }
  static constexpr std::uint16_t kInfinity = 0x7c00;
  static constexpr std::uint16_t kOne = 0x3c00;
};

struct Bfloat16 {
  static float to_float(std::uint16_t bits) { return __bfloat162float(__ushort_as_bfloat16(bits)); }
  static std::uint16_t from_float(float value) {
    return __bfloat16_as_ushort(__float2bfloat16(value));
  }
  static std::uint16_t from_double(double value) {
    return __bfloat16_as_ushort(__double2bfloat16(value));
  }
  static constexpr std::uint16_t kInfinity = 0x7f80;
  static constexpr std::uint16_t kOne = 0x3f80;
};

template <class Type>
struct CudaSmallFloat : testing::Test {};
using Types = testing::Types<Half, Bfloat16>;
TYPED_TEST_SUITE(CudaSmallFloat, Types);

TYPED_TEST(CudaSmallFloat, EveryNumberSurvives) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto value = static_cast<std::uint16_t>(bits);
    const float as_float = TypeParam::to_float(value);
    if (std::isnan(as_float)) {
      EXPECT_TRUE(std::isnan(TypeParam::to_float(TypeParam::from_float(as_float))));
    } else {
      EXPECT_EQ(TypeParam::from_float(as_float), value);
    }
  }
}

TYPED_TEST(CudaSmallFloat, RoundsToNearestAndTiesToEven) {
  for (std::uint16_t low = 0; low + 1 < TypeParam::kInfinity; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double below = TypeParam::to_float(low);
    const double above = TypeParam::to_float(high);
    const auto middle = static_cast<float>((below + above) / 2);
    if (static_cast<double>(middle) != (below + above) / 2) continue;  // too small for a float
    EXPECT_EQ(TypeParam::from_float(middle), low % 2 == 0 ? low : high);
    EXPECT_EQ(TypeParam::from_float(std::nextafter(middle, 0.0F)), low);
    EXPECT_EQ(TypeParam::from_float(std::nextafter(middle, std::numeric_limits<float>::max())),
              high);
    EXPECT_EQ(TypeParam::from_float(-middle), 0x8000 | (low % 2 == 0 ? low : high));
  }
}

// A double just beside a tie must not be rounded to a float first: that would make it the tie.
TYPED_TEST(CudaSmallFloat, DoublesAreRoundedOnce) {
  for (std::uint16_t low = 0; low + 1 < TypeParam::kInfinity; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double middle =
        (static_cast<double>(TypeParam::to_float(low)) + TypeParam::to_float(high)) / 2;
    if (!std::isfinite(middle)) continue;
    EXPECT_EQ(TypeParam::from_double(std::nextafter(middle, 0.0)), low);
    EXPECT_EQ(TypeParam::from_double(std::nextafter(middle, 1e300)), high);
    EXPECT_EQ(TypeParam::from_double(middle), low % 2 == 0 ? low : high);
    EXPECT_EQ(TypeParam::from_double(-std::nextafter(middle, 1e300)), 0x8000 | high);
  }
  EXPECT_EQ(TypeParam::from_double(1e300), TypeParam::kInfinity);
  EXPECT_TRUE(std::isnan(TypeParam::to_float(TypeParam::from_double(std::nan("")))));
}

TYPED_TEST(CudaSmallFloat, KnownNumbers) {
  EXPECT_EQ(TypeParam::from_float(1.0F), TypeParam::kOne);
  EXPECT_EQ(TypeParam::from_float(std::numeric_limits<float>::max()), TypeParam::kInfinity);
  EXPECT_EQ(TypeParam::to_float(TypeParam::kInfinity), std::numeric_limits<float>::infinity());
}

}  // namespace
