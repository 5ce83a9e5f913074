// A vector that also grows in front, as seldom as a vector grows at its end.
#include "harness/detect/graph/meetings/slot_window.h"

#include <algorithm>

namespace gridlock::detect {
namespace {

// If one communicator's slots in flight are further apart than this, the record is damaged.
constexpr std::uint64_t kMaxSpread = 1U << 22U;

}  // namespace

void SlotWindow::add(std::uint64_t number, const Shape& shape) {
  if (!reach(number)) return;
  Calls& calls = calls_[number - first_];
  if (++calls.count == 1) {
    calls.shape = shape;
  } else if (!(calls.shape == shape)) {
    calls.difference = std::max(calls.difference, difference(calls.shape, shape));
  }
}

std::span<const SlotWindow::Calls> SlotWindow::calls() const {
  if (is_damaged_ || calls_.empty()) return {};
  return std::span(calls_).subspan(base_ - first_, last_ - base_ + 1);
}

bool SlotWindow::reach(std::uint64_t number) {
  if (calls_.empty()) first_ = base_ = last_ = number;
  base_ = std::min(base_, number);
  last_ = std::max(last_, number);
  is_damaged_ = is_damaged_ || last_ - base_ > kMaxSpread;
  if (is_damaged_) return false;
  if (base_ < first_) {
    const std::uint64_t room = std::min(first_, std::max(first_ - base_, calls_.size()));
    calls_.insert(calls_.begin(), room, {});
    first_ -= room;
  }
  if (last_ - first_ >= calls_.size()) calls_.resize(last_ - first_ + 1);
  return true;
}

}  // namespace gridlock::detect
