// How far the machine kept a job's threads from running: others had the cores, or the disk was
// slow. Read from the kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "harness/base/limits.h"
#include "harness/record/snapshot.h"
#include "harness/run/look/silence.h"

namespace gridlock::run {

// Of one thread, since it began. Zero where the kernel does not say.
struct Hindrance {
  Duration on_core{};
  Duration in_queue{};         // ready to run while others had the cores, until it last got one
  std::uint64_t page_ins = 0;  // of its memory, for which it waited for the disk
  bool ready = false;          // on a core, or in the queue for one, now
  bool held = false;           // in a sleep that nothing interrupts, now: for a disk, as a rule
};
// By thread id, and above its 32 bits the agent whose the thread is.
using Hindrances = std::unordered_map<std::int64_t, Hindrance>;

// All threads of the living processes: the program's, and those of the libraries below it.
//   Blocks   no; six system calls a thread
Hindrances hindrances(std::span<const record::Snapshot> snapshots);

// How long all threads together were in the queue between the two, which are `between` apart; but
// for those that had a core for `enough` of that time: they spin, and had their chance. A thread
// that is younger than `before` counts from its beginning.
Duration time_in_queue(const Hindrances& before, const Hindrances& after, Duration between,
                       Duration enough);
// Whether the disk kept one of them for some of that time. How long, the kernel does not tell.
bool waited_for_disk(const Hindrances& before, const Hindrances& after);

// Measures one silence, with as few looks at the threads as its limit allows.
class SilenceMeter {
 public:
  // The silence that began at `since_ns`, now. Another `since_ns` than before is a new silence.
  // `look` looks at the threads. Where it was not asked for long, the ranks may have had as little
  // of the machine as whoever asks: of the time before the first look little counts.
  Silence measure(std::int64_t since_ns, std::int64_t now_ns, Duration limit,
                  const std::function<Hindrances()>& look);

 private:
  std::int64_t since_ns_ = -1;
  bool has_begun_ = false;
  Hindrances before_;
  Duration before_at_{};     // the silence then
  Duration starved_{};       // in all
  Duration until_before_{};  // until the look that `before_` is
};

}  // namespace gridlock::run
