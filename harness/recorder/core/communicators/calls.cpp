// What a rank calls on a communicator: counted, and taken back if the call was refused.
#include "harness/record/words.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/communicators/table.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {

using record::Call;
using record::CommunicatorState;
using record::kNone;

void note_call(std::uint32_t index, Call call) {
  if (index == kNone) return;
  record::CommunicatorEntry& entry = g_communicators[index].entry;
  ++entry.calls;
  entry.last_call = call;
  show(index);
}

void take_back_split(std::uint32_t index) {
  if (index == kNone) return;
  Communicator& communicator = g_communicators[index];
  --communicator.children;
  --communicator.entry.calls;
  show(index);
}

void note_failure(std::uint32_t index, Call call, std::uint8_t result) {
  if (index == kNone) return;
  record::CommunicatorEntry& shown = writer().box().communicators[index];
  record::store_release(shown.failure,
                        record::pack_failure(call, result, record::load_relaxed(shown.next_slot)));
}

Standing standing(std::uint32_t index) {
  if (index == kNone) return {};
  const record::CommunicatorEntry& entry = g_communicators[index].entry;
  return {.state = entry.state, .last_call = entry.last_call};
}

void take_back_call(std::uint32_t index, const Standing& before) {
  if (index == kNone) return;
  record::CommunicatorEntry& entry = g_communicators[index].entry;
  --entry.calls;
  entry.last_call = before.last_call;
  // Meanwhile another thread may have found it ready, or aborted it.
  if (entry.state == CommunicatorState::closing) entry.state = before.state;
  show(index);
}

void change_state(std::uint32_t index, CommunicatorState state) {
  if (index == kNone) return;
  g_communicators[index].entry.state = state;
  show(index);
}

}  // namespace gridlock::recorder
