// Two counters for each side tell whether a call of it has overlapped ours. A third one keeps new
// calls of the other side back while a mark is enqueued (Dekker's algorithm).
#include "harness/recorder/core/streams/placing.h"

#include <atomic>
#include <cstddef>

#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/streams/progress.h"

namespace gridlock::recorder {
namespace {

struct Side {
  std::atomic<std::uint64_t> begun = 0;
  std::atomic<std::uint64_t> ended = 0;
  std::atomic<std::int64_t> newest_ns = 0;  // when the last of them began
  std::atomic<std::uint32_t> marks = 0;     // that are being enqueued
};
constexpr std::size_t kDevices = 64;
Side g_sides[kDevices][kOrderSides];

std::size_t at(std::uint32_t device) { return device % kDevices; }

// By then a call has put its work on its stream, unless it waits to connect. A copy may last far
// longer, and what is called meanwhile is behind it, mark or not.
constexpr std::int64_t kPlacedNs = 100'000;

void let_marks_pass(const Side& side) {
  yield_until([&] { return side.marks.load() == 0; }, kMarkedNs);
}

ThreadState::Placing::Part* find(ThreadState::Placing& placing, std::uint32_t device) {
  for (std::uint32_t i = 0; i < placing.parts; ++i) {
    if (placing.part[i].device == device) return &placing.part[i];
  }
  return nullptr;
}

}  // namespace

void PlacesWork::begin(ThreadState& thread, std::uint32_t stream) {
  const OrderSide side = order_side(stream);
  if (side == OrderSide::none) return;
  const std::uint32_t device = stream_device(stream);
  ThreadState::Placing& placing = thread.placing;
  ThreadState::Placing::Part* part = find(placing, device);
  if (part == nullptr) {
    if (placing.parts == ThreadState::Placing::kMost) return;
    part = &placing.part[placing.parts++];
    *part = {.device = device};
  }
  const auto own = static_cast<std::size_t>(side);
  if (part->on[own]) return;
  part->on[own] = true;
  auto& sides = g_sides[at(device)];
  const std::int64_t time_ns = now_ns();
  sides[own].newest_ns = time_ns;
  ++sides[own].begun;
  let_marks_pass(sides[1 - own]);
  for (std::size_t i = 0; i < kOrderSides; ++i) {
    part->begun[i] = sides[i].begun.load();
    const bool are_over = sides[i].ended.load() + (part->on[i] ? 1 : 0) == part->begun[i];
    part->is_alone[i] = are_over || time_ns - sides[i].newest_ns > kPlacedNs;
  }
}

void PlacesWork::end_parts(ThreadState& thread) {
  ThreadState::Placing& placing = thread.placing;
  for (; placing.parts > 0; --placing.parts) {
    const ThreadState::Placing::Part& part = placing.part[placing.parts - 1];
    for (std::size_t i = 0; i < kOrderSides; ++i) {
      if (part.on[i]) ++g_sides[at(part.device)][i].ended;
    }
  }
}

Marking::Marking(std::uint32_t stream) : stream_(stream) {
  if (!implicit_order_possible()) return;
  const OrderSide side = order_side(stream);
  if (side == OrderSide::none) return;
  const ThreadState::Placing::Part* part = find(this_thread().placing, stream_device(stream));
  if (part == nullptr) return;
  const auto own = static_cast<std::size_t>(side);
  const std::size_t other = 1 - own;
  auto& sides = g_sides[at(part->device)];
  ++sides[own].marks;
  is_held_ = true;
  is_alone_ = part->is_alone[other] && sides[other].begun.load() == part->begun[other];
}

Marking::~Marking() {
  if (!is_held_) return;
  const auto own = static_cast<std::size_t>(order_side(stream_));
  --g_sides[at(stream_device(stream_))][own].marks;
}

}  // namespace gridlock::recorder
