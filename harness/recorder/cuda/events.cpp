// A table of events with fixed size. An event that finds no room marks nothing.
#include "harness/recorder/cuda/events.h"

#include "harness/recorder/core/fixed_map.h"

namespace gridlock::recorder {
namespace {

// Stream and position share a word, so that they always come from the same record.
constexpr int kPositionBits = 48;
constexpr std::uint64_t kPositionMask = (std::uint64_t{1} << kPositionBits) - 1;

constexpr std::uint64_t kNever = ~std::uint64_t{0};

FixedMap<32768> g_marks;

std::uint64_t key_of(cudaEvent_t event) { return reinterpret_cast<std::uint64_t>(event); }

bool marks_never(cudaEvent_t event) {
  const auto* found = g_marks.find(key_of(event));
  return found != nullptr && found->load(std::memory_order_acquire) == kNever;
}

}  // namespace

void set_mark(cudaEvent_t event, const Mark& mark) {
  if (mark.stream == record::kNone || event == nullptr) return;
  if (marks_never(event)) return;
  const std::uint64_t stream = mark.stream;
  g_marks.set(key_of(event), stream << kPositionBits | (mark.position & kPositionMask));
}

Mark mark_of(cudaEvent_t event) {
  const auto* found = event == nullptr ? nullptr : g_marks.find(key_of(event));
  if (found == nullptr) return {};
  const std::uint64_t word = found->load(std::memory_order_acquire);
  if (word == kNever) return {};
  return {.stream = static_cast<std::uint32_t>(word >> kPositionBits),
          .position = word & kPositionMask};
}

void forget_mark(cudaEvent_t event) {
  if (event != nullptr && !marks_never(event)) g_marks.remove(key_of(event));
}

void forget_events_of(std::span<const cudaLaunchAttribute> attributes) {
  for (const cudaLaunchAttribute& attribute : attributes) {
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent) {
      forget_mark(attribute.val.programmaticEvent.event);
    } else if (attribute.id == cudaLaunchAttributeLaunchCompletionEvent) {
      forget_mark(attribute.val.launchCompletionEvent.event);
    }
  }
}

void event_destroyed(cudaEvent_t event) {
  if (event != nullptr) g_marks.remove(key_of(event));
}

void never_mark(cudaEvent_t event) {
  if (event != nullptr) g_marks.set(key_of(event), kNever);
}

}  // namespace gridlock::recorder
