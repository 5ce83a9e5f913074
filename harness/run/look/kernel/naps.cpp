// Remembers each thread that naps.
#include "harness/run/look/kernel/naps.h"

namespace gridlock::run {

record::Sleep Naps::look(std::int64_t tid, record::Sleep sleep, std::int64_t now_ns) {
  if (sleep.by_clock) {
    naps_[tid] = {.sleep = sleep};
    return sleep;
  }
  const auto found = naps_.find(tid);
  if (found == naps_.end()) return sleep;
  Nap& nap = found->second;
  if (nap.woke_ns == 0) nap.woke_ns = now_ns;
  const bool runs = !sleep.asleep && sleep.awake == record::Awake::runs;
  if (!runs || now_ns - nap.woke_ns > kGlance.count()) {
    naps_.erase(found);
    return sleep;
  }
  return nap.sleep;
}

}  // namespace gridlock::run
