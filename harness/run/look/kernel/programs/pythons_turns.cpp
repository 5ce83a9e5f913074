// Remembers each thread that waits for the lock.
#include "harness/run/look/kernel/programs/pythons_turns.h"

namespace gridlock::run {

record::Sleep PythonsTurns::look(
    std::int64_t tid, record::Sleep sleep, std::uint64_t word,
    const std::function<std::optional<PythonsLock>(std::uint64_t)>& lock_at) {
  if (sleep.asleep && sleep.on == record::kPythonsLock) {
    turns_[tid] = {.word = word, .sleep = sleep};
    return sleep;
  }
  const auto found = turns_.find(tid);
  if (found == turns_.end()) return sleep;
  if (!sleep.asleep && sleep.awake == record::Awake::runs) {
    const std::optional<PythonsLock> lock = lock_at(found->second.word);
    const bool waits_on = lock && lock->is_held && lock->turns == found->second.sleep.switches;
    if (waits_on) return found->second.sleep;
  }
  turns_.erase(found);
  return sleep;
}

}  // namespace gridlock::run
