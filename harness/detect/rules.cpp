// What an operation needs of its peers, and when two calls at one slot fit together.
#include "harness/detect/rules.h"

#include <array>

namespace gridlock::detect {

using record::Call;

std::size_t bytes_of_type(std::uint8_t datatype) {
  // ncclInt8, Uint8, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64, Bfloat16, Float8 x 2
  static constexpr std::array<std::uint8_t, 12> kBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return datatype < kBytes.size() ? kBytes[datatype] : 1;
}

bool has_root(Call call) {
  return call == Call::broadcast || call == Call::reduce || call == Call::gather ||
         call == Call::scatter;
}

bool has_reduction(Call call) {
  return call == Call::all_reduce || call == Call::reduce || call == Call::reduce_scatter;
}

MustArrive must_arrive(const record::Operation& operation, std::int32_t own_rank,
                       std::int32_t ranks, std::uint64_t buffer_bytes) {
  const bool is_root = operation.peer == own_rank;
  const std::uint64_t bytes = bytes_of(operation);
  const MustArrive of_sender = bytes <= buffer_bytes ? MustArrive::nobody : MustArrive::everyone;
  switch (operation.call) {
    case Call::scatter:
      if (is_root && bytes * static_cast<std::uint64_t>(ranks) > buffer_bytes) {
        return MustArrive::everyone;
      }
      [[fallthrough]];
    case Call::broadcast:
      return is_root ? of_sender : MustArrive::root;
    case Call::reduce:
    case Call::gather:
      return is_root ? MustArrive::everyone : of_sender;
    default:
      return MustArrive::everyone;
  }
}

Shape shape_of(const record::Operation& operation) {
  return {
      .call = operation.call,
      .datatype = operation.datatype,
      .reduction = has_reduction(operation.call) ? operation.reduction : std::uint8_t{0},
      .root = has_root(operation.call) ? operation.peer : -1,
      .bytes = bytes_of(operation),
  };
}

Difference difference(const Shape& a, const Shape& b) {
  if (a.call != b.call || a.bytes != b.bytes || a.root != b.root) return Difference::fatal;
  if (a.datatype != b.datatype || a.reduction != b.reduction) return Difference::numbers;
  return Difference::none;
}

}  // namespace gridlock::detect
