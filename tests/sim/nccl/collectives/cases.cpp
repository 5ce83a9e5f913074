// The cases of the collectives' tests.
#include "tests/sim/nccl/collectives/cases.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "sim/nccl/collectives/small_float.h"

namespace sim_test {
namespace {

using sim::nccl::Bfloat16;
using sim::nccl::Float16;
using sim::nccl::Float8E4M3;
using sim::nccl::Float8E5M2;

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

}  // namespace

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

}  // namespace sim_test
