// What an operation needs of its peers, and when two calls at one slot fit together.
#include "harness/detect/rules.h"

namespace gridlock::detect {

using record::Call;

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

Difference difference(const Shape& a, const Shape& b) {
  if (a.call != b.call || a.bytes != b.bytes || a.root != b.root) return Difference::fatal;
  if (a.datatype != b.datatype || a.reduction != b.reduction) return Difference::numbers;
  return Difference::none;
}

}  // namespace gridlock::detect
